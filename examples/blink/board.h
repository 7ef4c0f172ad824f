// Where port B is, by the chip: the data sheets' memory addresses.

#pragma once

#include <stdint.h>

#if defined(__AVR_ATmega328P__)
#define DDRB (*(volatile uint8_t*)0x24)
#define PORTB (*(volatile uint8_t*)0x25)
#elif defined(__AVR_ATtiny85__)
#define DDRB (*(volatile uint8_t*)0x37)
#define PORTB (*(volatile uint8_t*)0x38)
#else
#error "board.h does not know this chip: add its port B"
#endif
