import type { NetworkParameters } from '@keelson/devnet/genesis'
import { parametersShape } from './network-inputs.ts'
import { readLike } from './read-like.ts'

const FIXED: Readonly<Record<string, string>> = {
  fork: "this program's contracts are built for it",
  l1ChainId: 'it is the chain id of --l1.rpc',
  l2ChainId: 'give --chain-id',
  l2BlockTimeSec: 'give --block-time, which hours and days follow',
  stakingPoolWei: 'nothing on L1 would back it; fill the pool by a deposit',
}
const ROLES = 'roles.'

/** Adds a mistake for each invalid change. */
export function changeParameters(parameters: NetworkParameters, changes: readonly string[], mistakes: string[]): NetworkParameters {
  let changed: NetworkParameters = parameters
  const seen = new Set<string>()
  for (const change of changes) {
    const equals = change.indexOf('=')
    const name = equals === -1 ? change : change.slice(0, equals)
    const refuse = (reason: string) => mistakes.push(`--set ${change.slice(0, 80)}: ${reason}`)
    const fixed = name.startsWith(ROLES) ? `give --${name.slice(ROLES.length)}` : Object.hasOwn(FIXED, name) ? FIXED[name] : undefined
    if (equals === -1) refuse('expected NAME=VALUE')
    else if (fixed !== undefined) refuse(`${name} cannot be set: ${fixed}`)
    else if (seen.has(name)) refuse(`${name} is set twice`)
    else changed = setOne(changed, name, change.slice(equals + 1), mistakes)
    seen.add(name)
  }
  return changed
}

function setOne(parameters: NetworkParameters, name: string, value: string, mistakes: string[]): NetworkParameters {
  const shape = parametersShape('test')
  const [first = '', second, ...more] = name.split('.')
  const group = Object.hasOwn(shape, first) ? (shape as unknown as Readonly<Record<string, unknown>>)[first] : undefined
  const isGroup = typeof group === 'object' && group !== null
  const example =
    second === undefined
      ? group
      : isGroup && Object.hasOwn(group, second)
        ? (group as Readonly<Record<string, unknown>>)[second]
        : undefined
  if (example === undefined || typeof example === 'object' || more.length > 0) {
    mistakes.push(`--set ${name}: there is no such parameter; there are ${names(shape).join(', ')}`)
    return parameters
  }
  const read = readLike(example, value, `--set ${name}`, mistakes)
  const inside = (parameters as unknown as Readonly<Record<string, object>>)[first]
  return { ...parameters, [first]: second === undefined ? read : { ...inside, [second]: read } } as NetworkParameters
}

function names(shape: object): readonly string[] {
  return Object.entries(shape)
    .flatMap(([name, value]) => (typeof value === 'object' ? Object.keys(value).map((key) => `${name}.${key}`) : [name]))
    .filter((name) => !Object.hasOwn(FIXED, name) && !name.startsWith(ROLES))
}
