/* The time that a message takes from one rank to the other. */
#ifndef MESSAGE_TIME_H
#define MESSAGE_TIME_H

#include "timing.h"

/* Seconds for a message of so many doubles, one way: half of a round trip between ranks 0 and 1. Right on rank 0
 * only; to be called by both. Each sample lasts about so many seconds. */
struct measured message_time(int doubles, double seconds);

#endif
