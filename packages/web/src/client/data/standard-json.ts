/** The compiler's standard JSON input. */
export interface Settings {
  readonly optimizer: { readonly enabled: boolean; readonly runs: number }
  readonly viaIR: boolean
  readonly evmVersion?: string
}

export function standardJsonOf(sources: Readonly<Record<string, string>>, settings: Settings): object {
  const named = Object.entries(sources).map(([file, content]) => [file, { content }] as const)
  return { language: 'Solidity', sources: Object.fromEntries(named), settings }
}

/** Contracts in a standard JSON input as FILE:NAME; empty for anything else. */
export function contractsIn(standardJson: unknown): readonly string[] {
  const { sources } = (standardJson ?? {}) as { readonly sources?: unknown }
  if (typeof sources !== 'object' || sources === null) return []
  return Object.entries(sources).flatMap(([file, source]) => {
    const content: unknown = (source as { content?: unknown } | null)?.content
    if (typeof content !== 'string') return []
    return [...content.matchAll(/^[ \t]*(?:contract|library)\s+([\w$]+)/gm)].map(([, name]) => `${file}:${name}`)
  })
}
