/* Functions that the libraries behind the shared object of an FMU would take from others: messages of LAPACK and BLAS,
 * which print and stop, a function of the Fortran library, the clock of OpenMP, and MPI, with which some SUNDIALS are
 * built: an FMU has one process, and SUNDIALS then calls none of its functions. */
#include <stddef.h>
#include <string.h>

void xerbla_(const char *name, const int *argument, size_t length);
void cblas_xerbla(int argument, const char *name, const char *format, ...);
void _gfortran_concat_string(size_t size, char *to, size_t n_a, const char *a, size_t n_b, const char *b);

void xerbla_(const char *name, const int *argument, size_t length)
{
    (void)name, (void)argument, (void)length;
}

void cblas_xerbla(int argument, const char *name, const char *format, ...)
{
    (void)argument, (void)name, (void)format;
}

/* to = a // b, cut or filled with blanks */
void _gfortran_concat_string(size_t size, char *to, size_t n_a, const char *a, size_t n_b, const char *b)
{
    const size_t first = n_a < size ? n_a : size, rest = size - first, second = n_b < rest ? n_b : rest;

    memcpy(to, a, first);
    memcpy(to + first, b, second);
    memset(to + first + second, ' ', rest - second);
}

#define NO_MPI(name)                                                                                                   \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 1;                                                                                                      \
    }
NO_MPI(MPI_Comm_dup)
NO_MPI(MPI_Comm_free)
NO_MPI(MPI_Comm_rank)
NO_MPI(MPI_Comm_size)
NO_MPI(MPI_Abort)
extern char ompi_mpi_comm_null[];
char ompi_mpi_comm_null[1]; /* its address is all that counts */

double omp_get_wtime(void);
double omp_get_wtime(void)
{
    return 0.0;
}
