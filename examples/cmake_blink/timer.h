#ifndef TIMER_H_
#define TIMER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns after some thousand cycles for each of `ticks`. */
void wait(uint16_t ticks);

#ifdef __cplusplus
}
#endif

#endif
