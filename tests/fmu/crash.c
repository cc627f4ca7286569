/* A shared object that crashes when it is loaded. */
#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
    (void)raise(SIGSEGV);
}
