import { ask } from '../../data/platform/ask.ts'

export interface ArgumentSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly ArgumentSchema[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
}

export interface ToolJson {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, ArgumentSchema>>; readonly required?: readonly string[] }
  readonly annotations?: { readonly destructiveHint?: boolean }
}

interface ListJson {
  readonly result?: { readonly tools: readonly ToolJson[] }
  readonly error?: { readonly message: string }
}

/** Throws Refusal, and Error with the platform's words. */
export async function fetchTools(token: string | null): Promise<readonly ToolJson[]> {
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const { result, error } = await ask<ListJson>('/mcp', { method: 'POST', token, json })
  if (result === undefined) throw new Error(error?.message ?? 'the platform lists no tools')
  return result.tools
}
