/* A library as a wheel has it, for test_library.c. */
extern const int phlexor_own;
const int phlexor_own = 42;
