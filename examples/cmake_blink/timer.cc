#include "timer.h"

namespace {

class Countdown {
 public:
  explicit Countdown(uint16_t count) : left_(count) {}
  bool Step() {
    const uint16_t now = left_;
    left_ = now - 1;
    return now != 0;
  }

 private:
  volatile uint16_t left_;
};

}  // namespace

void wait(uint16_t ticks) {
  while (ticks-- != 0) {
    Countdown countdown(1000);
    while (countdown.Step()) {
    }
  }
}
