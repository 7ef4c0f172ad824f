#include "timer.h"

#define PORTB (*(volatile uint8_t *)0x25)
#define DDRB (*(volatile uint8_t *)0x24)

#define LED 0x20

int main(void) {
  DDRB |= LED;
  for (;;) {
    PORTB ^= LED;
    wait(BLINK_PERIOD);
  }
}
