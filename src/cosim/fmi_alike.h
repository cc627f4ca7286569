/* Functions that FMI 2.0 and 3.0 share but for their names. Each version includes this once, after FMI(name), its name
 * of a function or type, and the names with which it speaks of states: FMI_GET_STATE and so on. Private to the
 * versions. */
#ifndef FMI
#error "FMI(name) has to be defined"
#endif

static instance *fmi_of(void *c)
{
    return c;
}

static void send_nowhere(const instance *fmu, int status, const char *category, const char *message)
{
    (void)fmu, (void)status, (void)category, (void)message;
}

static FMI(Status) fmi_refuse(void *c, const char *function, const char *why)
{
    if (c)
        phx_instance_log(fmi_of(c), LOG_ERROR, "%s: %s", function, why);
    return FMI(Error);
}

FMI(Status) FMI(SetDebugLogging)(void *c, FMI(Boolean) on, size_t count, const FMI(String) categories[])
{
    return c ? (FMI(Status))phx_instance_set_logging(c, __func__, on != 0, count, categories) : FMI(Error);
}

void FMI(FreeInstance)(void *c)
{
    phx_instance_destroy(c);
}

FMI(Status) FMI(Terminate)(void *c)
{
    if (phx_instance_check(c, __func__, STATE_AT_WORK))
        return FMI(Error);
    fmi_of(c)->state = STATE_TERMINATED;
    return FMI(OK);
}

FMI(Status) FMI(Reset)(void *c)
{
    return phx_instance_check(c, __func__, STATE_ANY) ? FMI(Error) : (FMI(Status))phx_instance_reset(c);
}

/* ---- states ---- */
FMI(Status) FMI_GET_STATE(void *c, void **state)
{
    if (phx_instance_check(c, __func__, STATE_ANY & ~STATE_FAILED) || !state)
        return FMI(Error);
    saved_state *saved = *state;
    const int status = phx_instance_save(c, &saved);
    *state = saved;
    return (FMI(Status))status;
}

FMI(Status) FMI_SET_STATE(void *c, void *state)
{
    return phx_instance_check(c, __func__, STATE_ANY) ? FMI(Error) : (FMI(Status))phx_instance_restore(c, state);
}

FMI(Status) FMI_FREE_STATE(void *c, void **state)
{
    if (!c)
        return FMI(Error);
    if (state) {
        phx_instance_free_state(*state);
        *state = NULL;
    }
    return FMI(OK);
}

FMI(Status) FMI_STATE_SIZE(void *c, void *state, size_t *size)
{
    if (!c || !state || !size)
        return fmi_refuse(c, __func__, "there is no state");
    *size = ((const saved_state *)state)->size;
    return FMI(OK);
}

FMI(Status) FMI_STATE_TO_BYTES(void *c, void *state, FMI(Byte) bytes[], size_t size)
{
    const saved_state *saved = state;

    if (!c || !saved || !bytes || size < saved->size)
        return fmi_refuse(c, __func__, "there is no state, or not room enough");
    memcpy(bytes, saved->bytes, saved->size);
    return FMI(OK);
}

FMI(Status) FMI_STATE_OF_BYTES(void *c, const FMI(Byte) bytes[], size_t size, void **state)
{
    if (!c || !state)
        return fmi_refuse(c, __func__, "there is no place for the state");
    saved_state *saved = *state;
    const int status = phx_instance_take_bytes(c, size, bytes, &saved);
    *state = saved;
    return (FMI(Status))status;
}

/* ---- model exchange ---- */
FMI(Status) FMI(EnterContinuousTimeMode)(void *c)
{
    if (phx_instance_check_exchange(c, __func__, STATE_EVENT))
        return FMI(Error);
    fmi_of(c)->state = STATE_CONTINUOUS;
    return FMI(OK);
}

FMI(Status) FMI(SetTime)(void *c, double time)
{
    if (phx_instance_check_exchange(c, __func__, STATE_EVENT | STATE_CONTINUOUS))
        return FMI(Error);
    phx_unit_set_time(fmi_of(c)->unit, time);
    return FMI(OK);
}

FMI(Status) FMI(SetContinuousStates)(void *c, const double x[], size_t count)
{
    if (phx_instance_check_exchange(c, __func__, STATE_CONTINUOUS | STATE_EVENT))
        return FMI(Error);
    return (FMI(Status))phx_instance_set_states(c, __func__, count, x);
}

static FMI(Status) get_array(void *c, const char *function, instance_array which, size_t count, double *values)
{
    if (phx_instance_check_exchange(c, function, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return FMI(Error);
    return (FMI(Status))phx_instance_get_array(c, function, which, count, values);
}

FMI(Status) FMI_GET_RATES(void *c, double rates[], size_t count)
{
    return get_array(c, __func__, ARRAY_RATES, count, rates);
}

FMI(Status) FMI(GetEventIndicators)(void *c, double indicators[], size_t count)
{
    return get_array(c, __func__, ARRAY_INDICATORS, count, indicators);
}

FMI(Status) FMI(GetContinuousStates)(void *c, double x[], size_t count)
{
    return get_array(c, __func__, ARRAY_STATES, count, x);
}

FMI(Status) FMI(GetNominalsOfContinuousStates)(void *c, double nominal[], size_t count)
{
    return get_array(c, __func__, ARRAY_NOMINALS, count, nominal);
}
