interface Parameter {
  readonly name: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly Parameter[]
}

interface Entry {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly Parameter[]
  readonly outputs?: readonly Parameter[]
  readonly stateMutability?: string
}

interface Doc {
  readonly title?: string
  readonly notice?: string
  readonly details?: string
  readonly params?: Readonly<Record<string, string>>
  readonly returns?: Readonly<Record<string, string>>
}
type Docs = Readonly<Record<string, Doc>>

export interface CompiledContract {
  readonly abi: readonly Entry[]
  readonly storageLayout: { readonly storage: readonly { label: string; slot: string; offset: number; type: string }[] }
  readonly devdoc: Doc & { readonly methods?: Docs; readonly events?: Docs; readonly stateVariables?: Docs }
  readonly userdoc: Doc & { readonly methods?: Docs; readonly events?: Docs }
  readonly evm: { readonly bytecode: { readonly object: string }; readonly deployedBytecode: { readonly object: string } }
}

export interface LibraryContract {
  readonly from: string
  readonly contract: CompiledContract
}

/** Members inherited unchanged from a package are only named. */
export function contractReference(
  name: string,
  { abi, devdoc, userdoc }: CompiledContract,
  libraries: readonly LibraryContract[] = [],
): string {
  const ownDoc = ({ devdoc: dev, userdoc: user }: CompiledContract, kind: 'methods' | 'events', entry: Entry): Doc => {
    const signature = `${entry.name}(${(entry.inputs ?? []).map(typeOf).join(',')})`
    return { ...dev.stateVariables?.[entry.name ?? ''], ...dev[kind]?.[signature], ...user[kind]?.[signature] }
  }
  const docOf = (kind: 'methods' | 'events', entry: Entry): Doc => {
    const doc = ownDoc({ abi, devdoc, userdoc } as CompiledContract, kind, entry)
    const inherited = libraries.find(
      ({ contract }) =>
        contract.abi.some((other) => declaration(other) === declaration(entry)) &&
        JSON.stringify(ownDoc(contract, kind, entry)) === JSON.stringify(doc),
    )
    return inherited === undefined ? doc : { notice: `From \`${inherited.from}\`.` }
  }
  const functions = abi.filter((entry) => entry.type === 'function')
  const isView = (entry: Entry) => entry.stateMutability === 'view' || entry.stateMutability === 'pure'
  const sections = [
    section(
      'Transactions',
      functions.filter((entry) => !isView(entry)),
      (entry) => functionText(entry, docOf('methods', entry)),
    ),
    section('Views', functions.filter(isView), (entry) => functionText(entry, docOf('methods', entry))),
    section(
      'Events',
      abi.filter((entry) => entry.type === 'event'),
      (entry) => eventText(entry, docOf('events', entry)),
    ),
    section(
      'Errors',
      abi.filter((entry) => entry.type === 'error'),
      (entry) => `- \`${declaration(entry)}\``,
    ),
  ]
  const head = [`# ${devdoc.title ?? name}`, userdoc.notice, devdoc.details]
  const page = [...head, ...sections].filter((part) => part !== undefined && part !== '').join('\n\n')
  return `${page.replace(/(?<=\S) {2,}/g, ' ')}\n`
}

function section(title: string, entries: readonly Entry[], text: (entry: Entry) => string): string {
  if (entries.length === 0) return ''
  const sorted = [...entries].sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))
  return `## ${title}\n\n${sorted.map(text).join(title === 'Errors' ? '\n' : '\n\n')}`
}

function functionText(entry: Entry, doc: Doc): string {
  const returns = entry.outputs ?? []
  const lines = [`### ${entry.name}`, '', '```solidity', `${declaration(entry)}${suffix(entry)}`, '```']
  if (doc.notice) lines.push('', doc.notice)
  if (doc.details) lines.push('', doc.details)
  const described = [
    ...(entry.inputs ?? []).map(({ name }) => [name, doc.params?.[name]] as const),
    ...returns.map(({ name }, index) => [name || 'result', doc.returns?.[name || `_${index}`]] as const),
  ].filter(([, text]) => text !== undefined)
  if (described.length > 0) lines.push('', ...described.map(([name, text]) => `- \`${name}\`: ${text}`))
  return lines.join('\n')
}

function eventText(entry: Entry, doc: Doc): string {
  const lines = [`### ${entry.name}`, '', '```solidity', declaration(entry), '```']
  if (doc.notice) lines.push('', doc.notice)
  return lines.join('\n')
}

function declaration(entry: Entry): string {
  const parameters = (entry.inputs ?? []).map((input) =>
    [namedType(input), input.indexed ? 'indexed' : '', input.name].filter(Boolean).join(' '),
  )
  return `${entry.name}(${parameters.join(', ')})`
}

function suffix({ stateMutability, outputs }: Entry): string {
  const returns = (outputs ?? []).map((output) => `${namedType(output)} ${output.name}`.trim()).join(', ')
  return `${stateMutability === 'payable' ? ' payable' : ''}${returns === '' ? '' : ` returns (${returns})`}`
}

function typeOf({ type, components }: Parameter): string {
  return components === undefined ? type : `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}`
}

function namedType({ type, components }: Parameter): string {
  if (components === undefined) return type
  const members = components.map((member) => `${namedType(member)} ${member.name}`.trim())
  return `(${members.join(', ')})${type.slice('tuple'.length)}`
}
