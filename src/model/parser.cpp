// The only file that knows muParser, and the only one in C++: what muParser throws ends here.
#include "parser.h"

#include <limits>
#include <muParser.h>

struct phx_parser {
    mu::Parser parser;
    int error_code = 0;
    int error_place = 0;
};

namespace
{
// Runs `work` and makes a status of whatever it throws. What is neither muParser's refusal nor a failed allocation can
// only come of one: the standard library throws nothing else here.
template <typename Work> phx_status guarded(phx_parser *parser, Work work) noexcept
{
    try {
        work();
        return PHX_OK;
    } catch (const mu::Parser::exception_type &refusal) {
        if (parser) {
            parser->error_code = refusal.GetCode();
            parser->error_place = refusal.GetPos();
        }
        return PHX_ERR_INPUT;
    } catch (...) {
        return PHX_ERR_MEMORY;
    }
}

template <typename Function> phx_status add_function(phx_parser *parser, const char *name, Function *function) noexcept
{
    return guarded(parser, [&] { parser->parser.DefineFun(name, function, true); });
}
} // namespace

extern "C" {

phx_status phx_parser_create(phx_parser **parser)
{
    *parser = nullptr;
    return guarded(nullptr, [&] {
        phx_parser *made = new phx_parser;
        *parser = made;
        made->parser.ClearFun();
        made->parser.ClearConst();
    });
}

void phx_parser_destroy(phx_parser *parser)
{
    guarded(nullptr, [&] { delete parser; });
}

phx_status phx_parser_clear_constants(phx_parser *parser)
{
    return guarded(parser, [&] { parser->parser.ClearConst(); });
}

phx_status phx_parser_add_constant(phx_parser *parser, const char *name, double value)
{
    return guarded(parser, [&] { parser->parser.DefineConst(name, value); });
}

phx_status phx_parser_add_variable(phx_parser *parser, const char *name, double *variable)
{
    return guarded(parser, [&] { parser->parser.DefineVar(name, variable); });
}

phx_status phx_parser_add_function1(phx_parser *parser, const char *name, phx_parser_fn1 *function)
{
    return add_function(parser, name, function);
}

phx_status phx_parser_add_function2(phx_parser *parser, const char *name, phx_parser_fn2 *function)
{
    return add_function(parser, name, function);
}

phx_status phx_parser_add_function3(phx_parser *parser, const char *name, phx_parser_fn3 *function)
{
    return add_function(parser, name, function);
}

phx_status phx_parser_add_function_many(phx_parser *parser, const char *name, phx_parser_fn_many *function)
{
    return add_function(parser, name, function);
}

phx_status phx_parser_set(phx_parser *parser, const char *text)
{
    return guarded(parser, [&] { parser->parser.SetExpr(text); });
}

phx_status phx_parser_value(phx_parser *parser, double *value)
{
    *value = std::numeric_limits<double>::quiet_NaN();
    return guarded(parser, [&] { *value = parser->parser.Eval(); });
}

int phx_parser_error_code(const phx_parser *parser)
{
    return parser->error_code;
}

int phx_parser_error_place(const phx_parser *parser)
{
    return parser->error_place;
}
}
