/** Limits depth, aliases, and fields after expanding fragments. GraphQL (October 2021) sections 2.3 to 2.8 */
import { type DocumentNode, GraphQLError, Kind, parse, type SelectionSetNode, visit } from 'graphql'

export const MAX_QUERY_LENGTH = 20_000
const MAX_TOKENS = 4_000
const MAX_DEPTH = 20
const MAX_FIELDS = 500
const MAX_ALIASES = 50
const MAX_VALUE_LEVELS = 150

export type JudgedQuery = { readonly ok: true; readonly document: DocumentNode } | { readonly ok: false; readonly why: string }

interface Extent {
  readonly depth: number
  readonly fields: number
}

class Refused extends Error {}

export function judgeGraphQuery(text: string): JudgedQuery {
  if (text.length > MAX_QUERY_LENGTH) return { ok: false, why: `expected at most ${MAX_QUERY_LENGTH} characters, got ${text.length}` }
  try {
    const document = parse(text, { maxTokens: MAX_TOKENS, noLocation: true })
    measure(document)
    return { ok: true, document }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message }
    if (error instanceof GraphQLError) return { ok: false, why: `expected a GraphQL query: ${error.message}` }
    // the nesting exceeds the parser's stack
    if (error instanceof RangeError) return { ok: false, why: 'expected a GraphQL query: nested too deeply' }
    throw error
  }
}

function measure(document: DocumentNode): void {
  const { definitions } = document
  const fragments = new Map<string, SelectionSetNode>()
  const operations: SelectionSetNode[] = []
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet)
    else if (definition.kind !== Kind.OPERATION_DEFINITION) throw new Refused('expected a query, got the definition of a schema')
    else if (definition.operation !== 'query') throw new Refused(`expected a query, got a ${definition.operation}`)
    else operations.push(definition.selectionSet)
  }
  const [operation, ...more] = operations
  if (operation === undefined) throw new Refused('expected a query, got fragments alone')
  if (more.length > 0) throw new Refused(`expected one query, got ${operations.length}`)
  let aliases = 0
  const known = new Map<string, Extent>()
  const under = new Set<string>()

  function ofFragment(name: string): Extent {
    const found = known.get(name)
    if (found !== undefined) return found
    const selection = fragments.get(name)
    if (selection === undefined) throw new Refused(`expected fragment ${name} to be defined`)
    if (under.has(name)) throw new Refused(`expected no fragment to contain itself, got ${name}`)
    under.add(name)
    const extent = extentOf(selection)
    under.delete(name)
    known.set(name, extent)
    return extent
  }

  function extentOf({ selections }: SelectionSetNode): Extent {
    let depth = 0
    let fields = 0
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const inner = node.selectionSet === undefined ? { depth: 0, fields: 0 } : extentOf(node.selectionSet)
        if (node.alias !== undefined && ++aliases > MAX_ALIASES) throw new Refused(`expected at most ${MAX_ALIASES} aliases`)
        depth = Math.max(depth, 1 + inner.depth)
        fields += 1 + inner.fields
      } else {
        const inner = node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : extentOf(node.selectionSet)
        depth = Math.max(depth, inner.depth)
        fields += inner.fields
      }
      if (depth > MAX_DEPTH) throw new Refused(`expected a depth of at most ${MAX_DEPTH}`)
      if (fields > MAX_FIELDS) throw new Refused(`expected at most ${MAX_FIELDS} fields, fragments written out`)
    }
    return { depth, fields }
  }

  extentOf(operation)
  const enter = (...[, , , , above]: readonly [unknown, unknown, unknown, unknown, readonly unknown[]]) => {
    if (above.length > MAX_VALUE_LEVELS) throw new Refused('expected arguments that are not nested so deeply')
  }
  visit(document, { ListValue: { enter }, ObjectValue: { enter } })
}
