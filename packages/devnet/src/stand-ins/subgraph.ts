import { type ChainReader, judgeGraphQuery, SourceError } from '@keelson/platform'
import { execute, GraphQLError, validate } from 'graphql'
import { readChainFacts } from './chain-facts.ts'
import type { GraphResponse } from './schemas.ts'
import { createSubgraphRoot } from './subgraph-resolvers.ts'
import { SUBGRAPH_SCHEMA } from './subgraph-schema.ts'
import type { SwapHistory } from './swap-history.ts'

export interface GraphQuestion {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  readonly operationName?: string | null | undefined
}

const MAX_ERRORS = 20

/** Returns expected failures in `errors` and throws all others. */
export function createSubgraph(chain: ChainReader, history: SwapHistory): (question: GraphQuestion) => Promise<GraphResponse> {
  return async ({ query, variables, operationName }) => {
    const judged = judgeGraphQuery(query)
    if (!judged.ok) return { errors: [{ message: judged.why }] }
    const invalid = validate(SUBGRAPH_SCHEMA, judged.document, undefined, { maxErrors: MAX_ERRORS })
    if (invalid.length > 0) return { errors: invalid.map(shown) }
    const { data, errors } = await execute({
      schema: SUBGRAPH_SCHEMA,
      document: judged.document,
      rootValue: createSubgraphRoot(readChainFacts(chain, history)),
      ...(variables ? { variableValues: variables } : {}),
      ...(operationName ? { operationName } : {}),
    })
    return {
      ...(data === undefined ? {} : { data: data === null ? null : { ...data } }),
      ...(errors === undefined ? {} : { errors: errors.slice(0, MAX_ERRORS).map(shown) }),
    }
  }
}

function shown(error: GraphQLError): { message: string; path?: (string | number)[] } {
  const cause = error.originalError
  if (cause !== undefined && cause !== null && !(cause instanceof SourceError) && !(cause instanceof GraphQLError)) throw cause
  return error.path === undefined ? { message: error.message } : { message: error.message, path: [...error.path] }
}
