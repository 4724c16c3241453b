/** The part of Sourcify's API, version 2, that forge and Hardhat verify contracts with, below /sourcify. https://docs.sourcify.dev */
import { randomUUID } from 'node:crypto'
import type { Address } from '@keelson/primitives'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type VerifyProblem, VerifyRefusal } from '../../verify/verify-refusal.ts'
import { guarded, type RouteGuard, UnavailableError } from '../answer.ts'
import { readAddress } from '../read-params.ts'
import { readSubmission } from '../read-submission.ts'
import { RequestMistake, shown } from '../request-mistake.ts'
import { type ContractVerification, MAX_VERIFY_BYTES, type ShownContract, type SubmittedJob } from './contract-verification.ts'

interface SourcifyDependencies {
  readonly chainId: bigint
  readonly guard: RouteGuard
}

const FIELDS = ['abi', 'sources', 'compilation'] as const
const BODY_FIELDS = ['stdJsonInput', 'compilerVersion', 'contractIdentifier', 'creationTransactionHash']

/** `customCode` of Sourcify's errors. */
const CODES: Readonly<Record<VerifyProblem, string>> = {
  'not-found': 'contract_not_deployed',
  delegation: 'contract_not_deployed',
  'no-compiler': 'unsupported_compiler_version',
  'compile-failed': 'compiler_error',
  'compile-limit': 'compiler_error',
  mismatch: 'no_match',
  'constructor-arguments': 'no_match',
  'rate-limited': 'too_many_requests',
  busy: 'too_many_requests',
  full: 'internal_error',
}

interface SourcifyError {
  readonly customCode: string
  readonly message: string
  readonly errorId: string
}

export function addSourcifyRoutes(
  app: FastifyInstance,
  verification: ContractVerification,
  { chainId, guard }: SourcifyDependencies,
): void {
  const checkChain = (given: string) => {
    if (given !== chainId.toString())
      throw new RequestMistake(`chainId: got ${shown(given)}`, `chainId: ${chainId}, the chain of this network`)
  }
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof VerifyRefusal) return send(reply, error.retryAfterSec === null ? 400 : 429, errorOf(error))
    if (error instanceof RequestMistake) {
      const code = error.message.startsWith('chainId:') ? 'unsupported_chain' : 'invalid_parameter'
      return send(reply, 400, newError(code, `${error.message}; expected ${error.expected}`))
    }
    if (error instanceof UnavailableError)
      return send(reply, 503, newError('internal_error', `${error.message}; expected ${error.expected}`))
    return app.errorHandler(error, request, reply)
  }
  app.post<{ Params: { chain: string; address: string } }>(
    '/sourcify/v2/verify/:chain/:address',
    { bodyLimit: MAX_VERIFY_BYTES, onRequest: async (request, reply) => verification.slots.enter(request, reply), errorHandler },
    async (request, reply) => {
      checkChain(request.params.chain)
      const address = readAddress(request.params.address)
      const submission = readSubmission(asSubmission(request.body), verification.compilers)
      const found = await guarded(guard, () => verification.contractAt(address))
      if (found?.verified?.match === 'exact')
        return send(reply, 409, newError('already_verified', `${address} is verified already, with an exact match`))
      return reply.code(202).send({ verificationId: verification.submit(request, address, submission).id })
    },
  )
  app.get<{ Params: { id: string } }>('/sourcify/v2/verify/:id', { errorHandler }, async (request, reply) => {
    const job = verification.jobs.find(request.params.id)
    if (job !== null) return jobView(job, chainId)
    return send(reply, 404, newError('job_not_found', 'there is no such verification; results are kept for an hour'))
  })
  app.get<{ Params: { chain: string; address: string }; Querystring: { fields?: string } }>(
    '/sourcify/v2/contract/:chain/:address',
    { errorHandler },
    async (request, reply) => {
      checkChain(request.params.chain)
      const address = readAddress(request.params.address)
      const found = await guarded(guard, () => verification.contractAt(address))
      const view = contractView(address, chainId, found)
      return view.match === null ? reply.code(404).send(view) : { ...view, ...detailsOf(found, request.query.fields) }
    },
  )
}

function asSubmission(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { stdJsonInput, compilerVersion, contractIdentifier } = body as Readonly<Record<string, unknown>>
  const unknown = Object.keys(body).find((name) => !BODY_FIELDS.includes(name))
  if (unknown !== undefined) throw new RequestMistake(`got the field ${shown(unknown)}`, `only ${BODY_FIELDS.join(', ')}`)
  return { compilerVersion, contract: contractIdentifier, standardJson: stdJsonInput }
}

function contractView(address: Address, chainId: bigint, found: ShownContract | null) {
  const match = found?.verified?.match ?? null
  const sourcify = match === null ? null : match === 'partial' ? 'match' : 'exact_match'
  const creationMatch = found?.constructorArguments === null ? null : sourcify
  return { match: sourcify, creationMatch: creationMatch ?? null, runtimeMatch: sourcify, chainId: chainId.toString(), address }
}

function detailsOf(found: ShownContract | null, fields = '') {
  const verified = found?.verified ?? null
  if (verified === null || fields === '') return {}
  const asked = fields === 'all' ? FIELDS : fields.split(',').map((name) => name.split('.')[0])
  const { abi, compilerVersion, settings, file, contract } = verified
  const details: Readonly<Record<(typeof FIELDS)[number], unknown>> = {
    abi,
    sources: Object.fromEntries(Object.entries(verified.sources).map(([name, content]) => [name, { content }])),
    compilation: {
      language: 'Solidity',
      compiler: 'solc',
      compilerVersion,
      compilerSettings: settings,
      name: contract,
      fullyQualifiedName: `${file}:${contract}`,
    },
  }
  return Object.fromEntries(FIELDS.filter((name) => asked.includes(name)).map((name) => [name, details[name]]))
}

function jobView({ id, address, startedMs, finished }: SubmittedJob, chainId: bigint) {
  const time = (ms: number) => new Date(ms).toISOString()
  const base = { isJobCompleted: finished !== null, verificationId: id, jobStartTime: time(startedMs) }
  if (finished === null) return { ...base, contract: contractView(address, chainId, null) }
  const ended = { ...base, jobFinishTime: time(finished.atMs) }
  if (finished.result instanceof VerifyRefusal)
    return { ...ended, contract: contractView(address, chainId, null), error: errorOf(finished.result) }
  return { ...ended, contract: contractView(address, chainId, finished.result) }
}

function errorOf({ problem, message, expected }: VerifyRefusal): SourcifyError {
  return newError(CODES[problem], `${message}; expected ${expected}`)
}

function newError(customCode: string, message: string): SourcifyError {
  return { customCode, message, errorId: randomUUID() }
}

function send(reply: FastifyReply, status: number, error: SourcifyError): FastifyReply {
  return reply.code(status).send(error)
}
