/** Parts of the compiler's standard JSON that a visitor may choose. The parsers refuse everything else. Throw RequestMistake. */
import { RequestMistake, shown } from '../http/request-mistake.ts'

export interface StandardInput {
  readonly language: 'Solidity'
  readonly sources: Readonly<Record<string, { readonly content: string }>>
  readonly settings: Readonly<Record<string, unknown>>
}

type Check = (value: unknown, what: string) => unknown

export const MAX_SOURCES = 256
const MAX_NAME_LENGTH = 256
const NAME = new RegExp(`^[^\\x00-\\x1f\\x7f]{1,${MAX_NAME_LENGTH}}$`)

export function refuse(what: string, expected: string): never {
  throw new RequestMistake(`${what} is not accepted`, expected)
}

export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(what, `${what}: an object`)
  return value as Readonly<Record<string, unknown>>
}

const flag: Check = (value, what) => (typeof value === 'boolean' ? value : refuse(what, `${what}: true or false`))
const whole: Check = (value, what) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
    ? value
    : refuse(what, `${what}: a whole number below 2^32`)
const text =
  (max: number): Check =>
  (value, what) =>
    typeof value === 'string' && value.length <= max ? value : refuse(what, `${what}: text of up to ${max} characters`)
const listOf =
  (item: Check, max: number): Check =>
  (value, what) =>
    Array.isArray(value) && value.length <= max
      ? value.map((entry) => item(entry, `an item of ${what}`))
      : refuse(what, `${what}: a list of up to ${max} items`)
const recordOf =
  (item: Check, max: number): Check =>
  (value, what) => {
    const entries = Object.entries(readObject(value, what))
    if (entries.length > max) refuse(what, `${what}: up to ${max} entries`)
    return Object.fromEntries(entries.map(([name, entry]) => [readName(name, `a name in ${what}`), item(entry, `an entry of ${what}`)]))
  }
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, what) =>
    Object.fromEntries(
      Object.entries(readObject(value, what)).flatMap(([name, entry]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined
        if (check === undefined) return refuse(`${what}.${shown(name)}`, `in ${what} only ${Object.keys(checks).join(', ')}`)
        const checked = check(entry, `${what}.${name}`)
        return checked === undefined ? [] : [[name, checked]]
      }),
    )
/** Tools send it, and it is fixed here. */
const ignored: Check = () => undefined

const OPTIMIZER_STEPS = [
  ...['peephole', 'inliner', 'jumpdestRemover', 'orderLiterals', 'deduplicate', 'cse', 'constantOptimizer', 'yul'],
  'simpleCounterForLoopUncheckedIncrement',
]

const readSettings = fields({
  optimizer: fields({
    enabled: flag,
    runs: whole,
    details: fields({
      ...Object.fromEntries(OPTIMIZER_STEPS.map((step) => [step, flag])),
      yulDetails: fields({ stackAllocation: flag, optimizerSteps: text(2_000) }),
    }),
  }),
  evmVersion: text(32),
  viaIR: flag,
  remappings: listOf(text(2 * MAX_NAME_LENGTH), 100),
  libraries: recordOf(recordOf(text(42), 100), 100),
  metadata: fields({ useLiteralContent: flag, bytecodeHash: text(16), appendCBOR: flag }),
  debug: fields({ revertStrings: text(16), debugInfo: listOf(text(32), 8) }),
  outputSelection: ignored,
})

const readSources = recordOf(fields({ content: text(Number.POSITIVE_INFINITY), keccak256: ignored, license: ignored }), MAX_SOURCES)

export function readName(given: unknown, what: string): string {
  if (typeof given !== 'string' || !NAME.test(given)) refuse(what, `${what}: 1 to ${MAX_NAME_LENGTH} characters that can be shown`)
  return given as string
}

export function readStandardInput(value: unknown): StandardInput {
  const { language, sources, settings = {}, ...others } = readObject(value, 'standardJson')
  if (language !== 'Solidity') refuse('standardJson.language', 'standardJson.language: Solidity')
  for (const name of Object.keys(others)) refuse(`standardJson.${shown(name)}`, 'in standardJson only language, sources, settings')
  return inputOf(readSources(sources, 'sources') as StandardInput['sources'], settings)
}

export function readSingleSource(file: string, source: unknown, settings: unknown): StandardInput {
  return inputOf(readSources({ [file]: { content: source } }, 'source') as StandardInput['sources'], settings)
}

function inputOf(sources: StandardInput['sources'], settings: unknown): StandardInput {
  for (const { content } of Object.values(sources))
    if (content === undefined) refuse('a source without content', 'sources: {"FILE": {"content": TEXT}}')
  return { language: 'Solidity', sources, settings: readSettings(settings, 'settings') as StandardInput['settings'] }
}
