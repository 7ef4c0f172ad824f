#include "tools/driver/targets_command.h"

#include <cstddef>
#include <memory>
#include <string>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"

namespace ingot::driver {
namespace {

struct TargetsFlags {
  std::string target;
  bool json = false;
};

nlohmann::json ToJson(const targets::TargetRecord& target, bool with_cpus) {
  nlohmann::json json = {
      {"name", target.name},
      {"triple", target.triple},
      {"aliases", std::vector<std::string>(target.aliases.begin(), target.aliases.end())},
      {"description", target.description},
      {"default_cpu", target.default_cpu},
      {"default_emit", targets::EmitKindName(target.default_emit)},
      {"cpu_count", target.cpus.size()},
  };
  for (const targets::EmitRecord& emit : target.emits) {
    json["emit"][std::string(targets::EmitKindName(emit.kind))] = emit.extension;
  }
  if (!with_cpus) return json;
  for (const targets::CpuRecord& cpu : target.cpus) {
    nlohmann::json entry = {{"name", cpu.name}, {"family", cpu.family}};
    for (std::size_t i = 0; i < target.cpu_fact_names.size(); ++i) {
      if (!cpu.facts[i].empty()) entry[std::string(target.cpu_fact_names[i])] = cpu.facts[i];
    }
    json["cpus"].push_back(std::move(entry));
  }
  return json;
}

void ShowAll(const Environment& environment) {
  environment.out << absl::StreamFormat("%-8s  %-20s  %-11s  %4s  %-4s  %s\n", "TARGET", "TRIPLE",
                                        "DEFAULT CPU", "CPUS", "EMIT", "");
  for (const targets::TargetRecord* target : targets::AllTargets()) {
    environment.out << absl::StreamFormat(
        "%-8s  %-20s  %-11s  %4d  %-4s  %s\n", target->name, target->triple, target->default_cpu,
        target->cpus.size(), targets::EmitKindName(target->default_emit), target->description);
  }
  environment.out << "\n`ingot targets TARGET` lists a target's CPUs.\n";
}

void ShowOne(const Environment& environment, const targets::TargetRecord& target) {
  environment.out << target.name << ": " << target.description << "\n  triple: " << target.triple;
  for (const std::string_view alias : target.aliases) environment.out << ", " << alias;
  environment.out << "\n  emits:";
  for (const targets::EmitRecord& emit : target.emits) {
    environment.out << " " << targets::EmitKindName(emit.kind) << " (." << emit.extension << ")"
                    << (emit.kind == target.default_emit ? " by default;" : ";");
  }
  environment.out << "\n\n" << absl::StreamFormat("%-20s  %-16s", "CPU", "FAMILY");
  for (const std::string_view name : target.cpu_fact_names) {
    environment.out << absl::StreamFormat("  %-8s", name);
  }
  environment.out << "\n";
  for (const targets::CpuRecord& cpu : target.cpus) {
    environment.out << absl::StreamFormat("%-20s  %-16s", cpu.name, cpu.family);
    for (std::size_t i = 0; i < target.cpu_fact_names.size(); ++i) {
      environment.out << absl::StreamFormat("  %-8s", cpu.facts[i]);
    }
    environment.out << (cpu.name == target.default_cpu ? "  (default)\n" : "\n");
  }
}

int Run(const Environment& environment, const TargetsFlags& flags) {
  if (flags.target.empty()) {
    if (!flags.json) {
      ShowAll(environment);
      return kSuccess;
    }
    nlohmann::json all = nlohmann::json::array();
    for (const targets::TargetRecord* target : targets::AllTargets()) {
      all.push_back(ToJson(*target, /*with_cpus=*/true));
    }
    PrintJson(environment.out, {{"schema", 1}, {"targets", all}});
    return kSuccess;
  }
  const absl::StatusOr<const targets::TargetRecord*> target = targets::FindTarget(flags.target);
  if (!target.ok()) {
    environment.err << "ingot: error: " << target.status().message() << "\n";
    return ExitCodeFor(target.status());
  }
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1}, {"targets", {ToJson(**target, true)}}});
  } else {
    ShowOne(environment, **target);
  }
  return kSuccess;
}

}  // namespace

void AddTargetsCommand(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command = app.add_subcommand("targets", "List the targets, or the CPUs of one");
  auto flags = std::make_shared<TargetsFlags>();
  command->add_option("TARGET", flags->target, "A target's name or triple")->type_name("");
  command->add_flag("--json", flags->json, "Show them as JSON");
  command->footer("Examples:\n  ingot targets\n  ingot targets avr --json");
  command->callback([&environment, &exit_code, flags] { exit_code = Run(environment, *flags); });
}

}  // namespace ingot::driver
