/* outlier: silent faults. A grid whose values do not fit to those of its neighbours in the scheme is left out, as if it were lost. */
#include "manager.h"

void drop_outliers(struct manager *m)
{
    (void)m;
}
