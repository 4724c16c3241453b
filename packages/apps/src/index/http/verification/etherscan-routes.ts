/**
 * The part of Etherscan's API that forge and Hardhat verify contracts with: module `contract` at GET and POST /api. As there, every
 * answer has the status 200 and says in `status` whether it is a result. https://docs.etherscan.io
 */
import { type Address, hexToBytes } from '@keelson/primitives'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findCreation } from '../../queries/chain-queries.ts'
import type { Database } from '../../storage/database.ts'
import { VerifyRefusal } from '../../verify/verify-refusal.ts'
import { guarded, type RouteGuard, UnavailableError } from '../answer.ts'
import { readAddress } from '../read-params.ts'
import { RequestMistake, shown } from '../request-mistake.ts'
import { type ContractAt, type ContractVerification, MAX_VERIFY_BYTES, type SubmittedJob } from './contract-verification.ts'
import { type EtherscanFields, readEtherscanSubmission } from './etherscan-submission.ts'

interface EtherscanAnswer {
  readonly status: '0' | '1'
  readonly message: 'OK' | 'NOTOK'
  readonly result: unknown
}

interface EtherscanDependencies {
  readonly chainId: bigint
  readonly database: Database
  readonly guard: RouteGuard
}

type Lookup = (fields: EtherscanFields) => Promise<EtherscanAnswer>

/** A form has up to three bytes for each of the source. */
const MAX_FORM_BYTES = 3 * MAX_VERIFY_BYTES
const MAX_FIELDS = 100
const MAX_CREATIONS = 5
const VERIFY = 'verifysourcecode'
const NOT_VERIFIED = 'Contract source code not verified'

const ok = (result: unknown): EtherscanAnswer => ({ status: '1', message: 'OK', result })
const notOk = (result: string): EtherscanAnswer => ({ status: '0', message: 'NOTOK', result })

export function addEtherscanRoutes(app: FastifyInstance, verification: ContractVerification, deps: EtherscanDependencies): void {
  const lookups = lookupActions(verification, deps)
  const answer = async (request: FastifyRequest): Promise<EtherscanAnswer> => {
    const fields = fieldsOf(request)
    const chain = fields.get('chainid') ?? ''
    if (chain !== '' && chain !== deps.chainId.toString())
      return notOk(`Unsupported chainid ${shown(chain)}: this is chain ${deps.chainId}`)
    const action = fields.get('module') === 'contract' ? (fields.get('action') ?? '') : ''
    if (action === VERIFY) return submit(fields, request)
    const lookup = lookups.get(action)
    if (lookup === undefined)
      return notOk(`Error! Missing Or invalid Action name; module=contract has ${[VERIFY, ...lookups.keys()].join(', ')}`)
    return guarded(deps.guard, () => lookup(fields))
  }
  const submit = async (fields: EtherscanFields, request: FastifyRequest) => {
    if (request.method !== 'POST') return notOk(`Error! ${VERIFY} is sent with POST`)
    const address = readAddress(fields.get('contractaddress') ?? '')
    const submission = readEtherscanSubmission(fields, verification.compilers)
    const found = await guarded(deps.guard, () => verification.contractAt(address))
    if (found === null) return notOk(`Unable to locate ContractCode at ${address}`)
    if (found.verified !== null && found.verified.match !== 'partial') return notOk('Contract source code already verified')
    return ok(verification.submit(request, address, submission).id)
  }
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof VerifyRefusal) return reply.code(200).send(notOk(refusalText(error)))
    if (error instanceof RequestMistake) return reply.code(200).send(notOk(`Error! ${error.message}; expected ${error.expected}`))
    if (error instanceof UnavailableError) return reply.code(200).send(notOk(`${error.message}; expected ${error.expected}`))
    return app.errorHandler(error, request, reply)
  }
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) => done(null, body))
  app.get('/api', { errorHandler }, answer)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => verification.slots.enter(request, reply)
  app.post('/api', { bodyLimit: MAX_FORM_BYTES, onRequest, errorHandler }, answer)
}

function lookupActions(verification: ContractVerification, { database }: EtherscanDependencies): ReadonlyMap<string, Lookup> {
  const contractIn = (fields: EtherscanFields) => verification.contractAt(readAddress(fields.get('address') ?? ''))
  return new Map<string, Lookup>([
    ['checkverifystatus', async (fields) => jobAnswer(verification.jobs.find(fields.get('guid') ?? ''))],
    [
      'getabi',
      async (fields) => {
        const found = await contractIn(fields)
        const abi = found?.verified?.abi ?? found?.project?.abi
        return abi === undefined ? notOk(NOT_VERIFIED) : ok(JSON.stringify(abi))
      },
    ],
    ['getsourcecode', async (fields) => ok([sourceRow(await contractIn(fields))])],
    [
      'getcontractcreation',
      async (fields) => {
        const addresses = (fields.get('contractaddresses') ?? '').split(',')
        if (addresses.length > MAX_CREATIONS) return notOk(`Error! contractaddresses: at most ${MAX_CREATIONS}`)
        const rows = await Promise.all(addresses.map((address) => creationRow(database, readAddress(address))))
        const known = rows.filter((row) => row !== null)
        return known.length === 0 ? notOk('No data found') : ok(known)
      },
    ],
  ])
}

function jobAnswer(job: SubmittedJob | null): EtherscanAnswer {
  if (job === null) return notOk('Unknown UID: results are kept for an hour')
  if (job.finished === null) return notOk('Pending in queue')
  const { result } = job.finished
  return result instanceof VerifyRefusal ? notOk(`Fail - Unable to verify: ${refusalText(result)}`) : ok('Pass - Verified')
}

async function creationRow(database: Database, address: Address) {
  const creation = await findCreation(database, hexToBytes(address))
  return creation === null ? null : { contractAddress: address, contractCreator: creation.creator, txHash: creation.transaction }
}

/** Etherscan writes standard JSON in a second pair of braces, and no source for a contract that is not verified. */
function sourceRow(found: ContractAt | null) {
  const { verified = null, project = null, constructorArguments = null } = found ?? {}
  const sources = verified?.sources ?? project?.sources ?? {}
  const settings = (verified?.settings ?? {}) as { readonly optimizer?: { enabled?: boolean; runs?: number }; readonly evmVersion?: string }
  const content = Object.fromEntries(Object.entries(sources).map(([file, text]) => [file, { content: text }]))
  const hasSource = Object.keys(sources).length > 0
  const abi = verified?.abi ?? project?.abi
  return {
    SourceCode: hasSource ? `{${JSON.stringify({ language: 'Solidity', sources: content, settings })}}` : '',
    ABI: abi === undefined ? NOT_VERIFIED : JSON.stringify(abi),
    ContractName: verified?.contract ?? project?.name ?? '',
    ContractFileName: verified?.file ?? project?.file ?? '',
    CompilerVersion: verified === null ? '' : `v${verified.compilerVersion}`,
    CompilerType: hasSource ? 'solc' : '',
    OptimizationUsed: settings.optimizer?.enabled === true ? '1' : '0',
    Runs: String(settings.optimizer?.runs ?? 0),
    ConstructorArguments: constructorArguments?.slice(2) ?? '',
    EVMVersion: settings.evmVersion ?? 'Default',
    Library: Object.entries(verified?.libraries ?? {})
      .map(([name, address]) => `${name}:${address.slice(2)}`)
      .join(';'),
    LicenseType: '',
    Proxy: '0',
    Implementation: '',
    SwarmSource: '',
    SimilarMatch: '',
  }
}

/** Clients wait and repeat a request when the text begins as Etherscan's does. */
function refusalText({ problem, message, expected }: VerifyRefusal): string {
  const limit = problem === 'rate-limited' || problem === 'busy' ? 'Max rate limit reached: ' : ''
  return `${limit}${message}; expected ${expected}`
}

/** Throws RequestMistake. */
function fieldsOf({ query, body }: FastifyRequest): EtherscanFields {
  const form = typeof body === 'string' ? body : ''
  if (form.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw new RequestMistake('the form has too many fields', `at most ${MAX_FIELDS}`)
  const pairs = [...Object.entries(query as object), ...new URLSearchParams(form)]
  return new Map(pairs.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [])))
}
