import type { Address } from '@keelson/primitives'
import type { RpcAccessOptions } from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import type { LiveState } from '../chain/live-state.ts'
import { COMPILE_CPU_MS, LONGEST_WAIT_MS } from '../verify/compile-queue.ts'
import { IMPLEMENTATION_SLOT, implementationOf } from '../verify/implementation.ts'
import { compilerVersionOf } from '../verify/metadata-trailer.ts'
import { MAX_SOURCES } from '../verify/standard-input.ts'
import { VerifyRefusal } from '../verify/verify-refusal.ts'
import { answerTo, type RouteGuard } from './answer.ts'
import { readAddress } from './read-params.ts'
import { readSubmission } from './read-submission.ts'
import {
  ContractVerification,
  type ContractVerificationDependencies,
  MAX_VERIFY_BYTES,
  stopping,
} from './verification/contract-verification.ts'
import { addEtherscanRoutes } from './verification/etherscan-routes.ts'
import { addSourcifyRoutes } from './verification/sourcify-routes.ts'

export interface VerifyRoutesDependencies extends ContractVerificationDependencies {
  readonly chainId: bigint
}

export interface VerifyRoutes {
  /** Ends the verifications that wait or run. */
  stop(): void
}

export function addVerifyRoutes(
  app: FastifyInstance,
  options: RpcAccessOptions,
  deps: VerifyRoutesDependencies,
  guard: RouteGuard,
): VerifyRoutes {
  const { live, projectContracts } = deps
  const verification = new ContractVerification(options, deps)
  const active = new Set<AbortController>()

  answerTo(app, guard)('/api/contracts/:address', async ({ params }) => {
    const address = readAddress(params.address)
    const found = await verification.contractAt(address)
    if (found === null) return null
    const { code, ...shown } = found
    const implementation = implementationOf(code, await live.storage(address, IMPLEMENTATION_SLOT))
    return { address, compiledWith: compilerVersionOf(code), implementation, ...shown }
  })
  app.get('/api/verification', async () => ({
    compilers: verification.compilers.versions,
    maxBytes: MAX_VERIFY_BYTES,
    maxSources: MAX_SOURCES,
    maxSeconds: COMPILE_CPU_MS / 1_000,
    maxWaitSeconds: LONGEST_WAIT_MS / 1_000,
  }))
  addInterfaceRoute(app, { live, verification }, guard)
  app.post<{ Params: { address: string } }>(
    '/api/contracts/:address/verify',
    { bodyLimit: MAX_VERIFY_BYTES, onRequest: async (request, reply) => verification.slots.enter(request, reply) },
    async (request, reply) => {
      const address = readAddress(request.params.address)
      const submission = readSubmission(request.body, verification.compilers)
      const gone = new AbortController()
      active.add(gone)
      reply.raw.once('close', () => {
        active.delete(gone)
        gone.abort(new VerifyRefusal('busy', 'the caller left', 'the same request'))
      })
      const { codeHash, ...shown } = await verification.verify(request, address, submission, gone.signal)
      return { address, codeHash, project: projectContracts.find(await live.code(address)), ...shown }
    },
  )
  addEtherscanRoutes(app, verification, { ...deps, guard })
  addSourcifyRoutes(app, verification, { ...deps, guard })
  return {
    stop() {
      verification.stop()
      for (const gone of active) gone.abort(stopping())
    },
  }
}

interface InterfaceRouteDependencies {
  readonly live: LiveState
  readonly verification: ContractVerification
}

function addInterfaceRoute(app: FastifyInstance, { live, verification }: InterfaceRouteDependencies, guard: RouteGuard): void {
  const interfaceOf = async (address: Address) => {
    const found = await verification.contractAt(address)
    const { verified = null, project = null } = found ?? {}
    return { address, contract: verified?.contract ?? project?.name ?? null, abi: verified?.abi ?? project?.abi ?? null }
  }
  answerTo(app, guard)('/api/contracts/:address/abi', async ({ params }) => {
    const address = readAddress(params.address)
    const [code, slot] = await Promise.all([live.code(address), live.storage(address, IMPLEMENTATION_SLOT)])
    const target = implementationOf(code, slot)
    const [own, implementation] = await Promise.all([interfaceOf(address), target && interfaceOf(target)])
    return { ...own, implementation }
  })
}
