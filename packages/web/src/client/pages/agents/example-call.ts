import type { ArgumentSchema, ToolJson } from './fetch-tools.ts'

/** A curl command with every required argument; values that only the reader knows are upper-case words. */
export function exampleCall({ name, inputSchema }: Pick<ToolJson, 'name' | 'inputSchema'>, url: string): string {
  const { properties = {}, required = [] } = inputSchema
  const given = Object.fromEntries(required.map((argument) => [argument, exampleValue(argument, properties[argument] ?? {})]))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })
  const headers = ['content-type: application/json', 'accept: application/json, text/event-stream']
  return `curl -s ${url} ${headers.map((header) => `-H '${header}'`).join(' ')} -d '${body.replaceAll("'", "'\\''")}'`
}

function exampleValue(argument: string, { type, enum: values, anyOf, examples, default: usual, minimum }: ArgumentSchema): unknown {
  const [named] = [...(examples ?? []), ...(usual === undefined ? [] : [usual]), ...(values ?? [])]
  if (named !== undefined) return named
  const [first] = anyOf ?? []
  if (first !== undefined) return exampleValue(argument, first)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'integer':
    case 'number':
      return Math.max(1, minimum ?? 1)
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return argument.toUpperCase()
  }
}
