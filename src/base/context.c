#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *phx_status_text(phx_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                                                 \
    case name:                                                                                                         \
        return text;
        PHX_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}

phx_status phx_context_create(phx_context **context)
{
    if (!context)
        return PHX_ERR_ARGUMENT;
    *context = calloc(1, sizeof **context);
    if (!*context)
        return PHX_ERR_MEMORY;
    (*context)->fail_after = -1;
    return PHX_OK;
}

void phx_context_destroy(phx_context *context)
{
    if (context)
        phx_files_free(context);
    free(context);
}

void phx_context_get_log(const phx_context *context, phx_log_fn **log, void **user)
{
    *log = context->log;
    *user = context->log_user;
}

void phx_context_set_log(phx_context *context, phx_log_fn *log, void *user)
{
    context->log = log;
    context->log_user = user;
}

void phx_context_set_progress(phx_context *context, phx_progress_fn *progress, void *user)
{
    context->progress = progress;
    context->progress_user = user;
}

void phx_context_set_ranks(phx_context *context, const struct phx_ranks *ranks)
{
    context->ranks = ranks;
}

const struct phx_ranks *phx_context_ranks(const phx_context *context)
{
    return context ? context->ranks : NULL;
}

const char *phx_context_message(const phx_context *context)
{
    return context ? context->message : "";
}

void phx_context_clear(phx_context *context)
{
    if (context)
        context->message[0] = '\0';
}

/* Formats into `text`; a text that is too long is cut before the first byte of a UTF-8 character and ends in "...". */
static void format_message(char text[MESSAGE_SIZE], const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void format_message(char text[MESSAGE_SIZE], const char *format, va_list arguments)
{
    static const char mark[] = "...";
    const int length = vsnprintf(text, MESSAGE_SIZE, format, arguments);
    if (length < 0) {
        text[0] = '\0';
    } else if (length >= MESSAGE_SIZE) {
        size_t end = MESSAGE_SIZE - sizeof mark;
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
            end--;
        memcpy(text + end, mark, sizeof mark);
    }
}

phx_status phx_fail(phx_context *context, phx_status status, const char *format, ...)
{
    if (!context)
        return status;
    /* The arguments may point into the message that is being replaced. */
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_message(text, format, arguments);
    va_end(arguments);
    memcpy(context->message, text, MESSAGE_SIZE);
    return status;
}

phx_status phx_fail_null(phx_context *context, const char *function, const char *arguments)
{
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: %s is NULL; only what its declaration allows to be NULL may be",
                    function, arguments);
}

phx_status phx_fail_prefix(phx_context *context, phx_status status, const char *format, ...)
{
    if (!context)
        return status;
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_message(text, format, arguments);
    va_end(arguments);
    return phx_fail(context, status, "%s%s", text, context->message);
}

phx_status phx_conclude(phx_context *context, phx_status status)
{
    if (status == PHX_OK)
        phx_context_clear(context);
    return status;
}

void phx_log(phx_context *context, phx_log_level level, const char *format, ...)
{
    if (!context || !context->log)
        return;
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_message(text, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, text);
}

phx_status phx_progress(phx_context *context, const char *what, double done, double total)
{
    if (!context || !context->progress || context->progress(context->progress_user, what, done, total))
        return PHX_OK;
    return phx_fail(context, PHX_INTERRUPTED, "%s: stopped by the user at %g of %g", what, done, total);
}
