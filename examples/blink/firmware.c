// Lights the LED on port B for a part of the time that a reading gives.

#include "board.h"

// A reading of 8 bits as a number of ticks: three quarters of it.
uint16_t scale(uint8_t reading) { return (uint16_t)(reading * 3u) >> 2; }

void blink(uint8_t reading) {
  DDRB |= 1;
  for (uint16_t ticks = scale(reading); ticks > 0; --ticks) PORTB |= 1;
  PORTB &= (uint8_t)~1;
}
