/** The body of a verification. Throws RequestMistake. */
import { hexToBytes, isHex } from '@keelson/primitives'
import type { Compilers } from '../verify/compilers/compilers.ts'
import { readName, readObject, readSingleSource, readStandardInput } from '../verify/standard-input.ts'
import type { Submission } from '../verify/verifier.ts'
import { RequestMistake, shown } from './request-mistake.ts'

const FIELDS = ['compilerVersion', 'contract', 'standardJson', 'source', 'settings', 'constructorArguments']
const MAX_ARGUMENT_BYTES = 49_152

export function readSubmission(given: unknown, compilers: Compilers): Submission {
  const body = readObject(given, 'the body')
  const unknown = Object.keys(body).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) throw new RequestMistake(`got the field ${shown(unknown)}`, `only ${FIELDS.join(', ')}`)
  const compilerVersion = readVersion(body.compilerVersion, compilers)
  const qualified = typeof body.contract === 'string' ? body.contract : ''
  const colon = qualified.lastIndexOf(':')
  if (colon < 1) throw new RequestMistake(`contract: got ${shown(qualified)}`, 'contract: FILE:NAME, such as "contracts/Token.sol:Token"')
  const file = readName(qualified.slice(0, colon), 'contract')
  const contract = readName(qualified.slice(colon + 1), 'contract')
  if ((body.standardJson === undefined) === (body.source === undefined))
    throw new RequestMistake('got both or neither of standardJson and source', 'standardJson, or source and settings')
  if (body.standardJson !== undefined && body.settings !== undefined)
    throw new RequestMistake('got settings beside standardJson', 'settings inside standardJson')
  const input =
    body.standardJson === undefined ? readSingleSource(file, body.source, body.settings ?? {}) : readStandardInput(body.standardJson)
  if (!Object.hasOwn(input.sources, file)) throw new RequestMistake(`contract: got the file ${shown(file)}`, 'a file of the sources')
  return { compilerVersion, input, file, contract, constructorArguments: readArguments(body.constructorArguments) }
}

export function readVersion(given: unknown, compilers: Pick<Compilers, 'find' | 'versions'>): string {
  const found = typeof given === 'string' ? compilers.find(given) : null
  if (found !== null) return found
  const [newest = ''] = compilers.versions
  const oldest = compilers.versions.at(-1) ?? ''
  throw new RequestMistake(
    `compilerVersion: got ${shown(typeof given === 'string' ? given : '')}, and this service has no such compiler`,
    `compilerVersion: a release of solc from ${oldest.split('+')[0]} to ${newest}; GET /api/verification lists them`,
  )
}

export function readArguments(given: unknown): Uint8Array | null {
  if (given === undefined) return null
  if (isHex(given) && given.length <= 2 + 2 * MAX_ARGUMENT_BYTES && given.length % 2 === 0) return hexToBytes(given)
  throw new RequestMistake(
    'constructorArguments is not accepted',
    `constructorArguments: 0x and hex digits, up to ${MAX_ARGUMENT_BYTES} bytes`,
  )
}
