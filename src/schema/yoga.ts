import { type DocumentNode, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Answers } from './answers.ts';
import type { Context } from './context.ts';
import { formatError } from './errors.ts';
import { execute, parseDocument } from './execute.ts';
import { limitsRule } from './limits.ts';
import { type Subscribing, subscribe } from './subscribe.ts';
import { namedLiterals } from './variables.ts';

/** The context that Yoga runs an operation with, which may be a subscription. */
export type LiveContext = Context &
  Pick<Subscribing, 'renew' | 'onEnd'> & {
    /** Called with the answers of a subscription: ending its stream does not always end them. */
    opened: (answers: Answers) => void;
  };

/** Yoga answers 200 for every mistake it finds while validating, unless the error says that its status is its own. */
function withOwnStatus(error: GraphQLError): GraphQLError {
  const { http } = error.extensions;
  if (typeof http === 'object' && http !== null && !('spec' in http)) {
    Object.assign(http, { spec: false });
  }
  return error;
}

/**
 * Makes Yoga parse, validate and execute as every other door of the service does (`execute.ts`): the same limits, the
 * same errors, the same masking. The context that Yoga builds must be a `LiveContext`. Errors that come before one exists,
 * such as a refused credential, are for the server's own `maskedErrors.maskError`, with `formatError`.
 */
export function yogaPlugin(): Plugin<LiveContext> {
  return {
    onParse({ setParseFn, context }) {
      setParseFn(parseDocument);
      return ({ result, replaceParseResult }) => {
        if (result instanceof GraphQLError) replaceParseResult(formatError(result, context));
      };
    },
    onValidate({ addValidationRule, context, params }) {
      addValidationRule(limitsRule);
      return ({ valid, result, setResult }) => {
        if (valid) return;
        const document: DocumentNode = params.documentAST;
        const errors = result.filter((error) => error instanceof GraphQLError);
        const named = namedLiterals(document, errors);
        setResult(named.map((error) => withOwnStatus(formatError(error, context))));
      };
    },
    onExecute({ args, setExecuteFn }) {
      setExecuteFn(() =>
        execute(
          { document: args.document, errors: [] },
          {
            operationName: args.operationName,
            variables: args.variableValues,
            context: args.contextValue,
          },
        ),
      );
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { renew, onEnd, opened } = args.contextValue;
      setSubscribeFn(async () => {
        const outcome = await subscribe(
          { document: args.document, errors: [] },
          {
            operationName: args.operationName,
            variables: args.variableValues,
            context: args.contextValue,
            renew,
            onEnd,
          },
        );
        if ('next' in outcome) opened(outcome);
        return outcome;
      });
    },
  };
}
