/** A contract as forge and Hardhat send it to Etherscan: a form, with the compiler's standard JSON or one file. Throws RequestMistake. */
import type { Compilers } from '../../verify/compilers/compilers.ts'
import { readName, readSingleSource, readStandardInput, type StandardInput } from '../../verify/standard-input.ts'
import type { Submission } from '../../verify/verifier.ts'
import { readArguments, readVersion } from '../read-submission.ts'
import { RequestMistake, shown } from '../request-mistake.ts'
import { MAX_VERIFY_BYTES } from './contract-verification.ts'

/** Lower-case names: clients differ in the case of some. */
export type EtherscanFields = ReadonlyMap<string, string>

const STANDARD_JSON = 'solidity-standard-json-input'
const SINGLE_FILE = 'solidity-single-file'
const DEFAULT_RUNS = 200
const MAX_LIBRARIES = 10

export function readEtherscanSubmission(fields: EtherscanFields, compilers: Compilers): Submission {
  const format = fields.get('codeformat') ?? SINGLE_FILE
  const text = fields.get('sourcecode') ?? ''
  if (text.length > MAX_VERIFY_BYTES) throw new RequestMistake(`sourceCode: got ${shown(text)}`, `at most ${MAX_VERIFY_BYTES} characters`)
  const given = fields.get('contractname') ?? ''
  const compilerVersion = readVersion(fields.get('compilerversion'), compilers)
  // "constructorArguements" is the spelling of Etherscan's API.
  const constructorArguments = readHexArguments(fields.get('constructorarguements') ?? fields.get('constructorarguments') ?? '')
  if (format === STANDARD_JSON) {
    const input = readStandardInput(parseJson(text))
    return { compilerVersion, input, ...qualified(given, input), constructorArguments }
  }
  if (format !== SINGLE_FILE) throw new RequestMistake(`codeformat: got ${shown(format)}`, `codeformat: ${STANDARD_JSON} or ${SINGLE_FILE}`)
  const colon = given.lastIndexOf(':')
  const contract = readName(given.slice(colon + 1), 'contractname')
  const file = colon < 1 ? `${contract}.sol` : readName(given.slice(0, colon), 'contractname')
  return { compilerVersion, input: readSingleSource(file, text, settingsOf(fields, file)), file, contract, constructorArguments }
}

/** `FILE:NAME`, or the name of a contract that one file has. */
function qualified(given: string, { sources }: StandardInput): Pick<Submission, 'file' | 'contract'> {
  const colon = given.lastIndexOf(':')
  const [file, contract] = [given.slice(0, Math.max(0, colon)), given.slice(colon + 1)]
  const [only, ...others] = Object.keys(sources)
  const found = file === '' && others.length === 0 ? only : file
  if (found !== undefined && Object.hasOwn(sources, found)) return { file: found, contract: readName(contract, 'contractname') }
  throw new RequestMistake(`contractname: got ${shown(given)}`, 'contractname: FILE:NAME with a file of the sources')
}

function settingsOf(fields: EtherscanFields, file: string): object {
  const evmVersion = (fields.get('evmversion') ?? '').toLowerCase()
  const runs = fields.get('runs') ?? ''
  if (!/^\d{0,10}$/.test(runs)) throw new RequestMistake(`runs: got ${shown(runs)}`, 'runs: a whole number')
  const libraries: Record<string, Record<string, string>> = {}
  for (let i = 1; i <= MAX_LIBRARIES; i++) {
    const name = fields.get(`libraryname${i}`) ?? ''
    const colon = name.lastIndexOf(':')
    const inFile = colon < 1 ? file : name.slice(0, colon)
    if (name !== '') libraries[inFile] = { ...libraries[inFile], [name.slice(colon + 1)]: fields.get(`libraryaddress${i}`) ?? '' }
  }
  return {
    optimizer: { enabled: fields.get('optimizationused') === '1', runs: runs === '' ? DEFAULT_RUNS : Number(runs) },
    ...(evmVersion === '' || evmVersion === 'default' ? {} : { evmVersion }),
    ...(Object.keys(libraries).length === 0 ? {} : { libraries }),
  }
}

/** Without 0x, or with it. Empty arguments are none: the contract may still have some, which the chain tells. */
function readHexArguments(text: string): Uint8Array | null {
  return text === '' || text === '0x' ? null : readArguments(text.startsWith('0x') ? text : `0x${text}`)
}

/** Explorers wrap the JSON in another pair of braces, and clients send it back as they got it. */
function parseJson(text: string): unknown {
  for (const candidate of [text, text.slice(1, -1)]) {
    try {
      return JSON.parse(candidate)
    } catch {
      // The error follows when neither is JSON.
    }
  }
  throw new RequestMistake('sourceCode is not JSON', "sourceCode: the compiler's standard JSON input")
}
