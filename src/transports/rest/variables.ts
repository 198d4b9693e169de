import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A variable of an operation, with what the schema says of the argument that it is given to. */
export type Variable = {
  name: string;
  type: GraphQLInputType;
  description: string;
  default: unknown;
};

/** The variables of a valid operation. */
export function variablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Variable[] {
  const takenBy = argumentsByVariable(schema, operation);
  return (operation.variableDefinitions ?? []).map(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) throw new Error(`$${name} has no type that takes input.`);
    const argument = takenBy.get(name);
    return {
      name,
      type,
      description: argument?.description ?? '',
      default: defaultValue ? valueFromAST(defaultValue, type) : argument?.defaultValue,
    };
  });
}

function argumentsByVariable(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Map<string, GraphQLArgument> {
  const found = new Map<string, GraphQLArgument>();
  const typeInfo = new TypeInfo(schema);
  visit(
    operation,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      Directive: () => false,
      Variable({ name }) {
        const argument = typeInfo.getArgument();
        if (argument && !found.has(name.value)) found.set(name.value, argument);
      },
    }),
  );
  return found;
}
