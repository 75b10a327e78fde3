/* A library for two plugins of the tests. It works in one thread only. */
#include <unistd.h>

/* Whether no other thread was here. */
int common_work(void) {
    static volatile int inside;
    int others = inside;
    inside = 1;
    usleep(200);
    others |= !inside;
    inside = 0;
    return !others;
}
