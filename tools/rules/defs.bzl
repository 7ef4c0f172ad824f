"""Bazel rules for device code: the public interface.

    load("@ingot//tools/rules:defs.bzl", "device_object")

    device_object(
        name = "saxpy_sm90",
        srcs = ["saxpy.ll"],
        cpu = "sm_90",
        target = "nvptx64",
    )

Everything else under `tools/rules` is private and may change.
"""

load("//tools/rules/private:device_object.bzl", _DeviceObjectInfo = "DeviceObjectInfo", _device_object = "device_object")
load("//tools/rules/private:device_toolchain.bzl", _device_toolchain = "device_toolchain")

device_object = _device_object
device_toolchain = _device_toolchain
DeviceObjectInfo = _DeviceObjectInfo
