import { type RpcClient, RpcResponseError } from '@keelson/client'
import type { ExecutionNode } from '@keelson/execution'
import { counted } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'

export interface HeadLagDependencies {
  readonly chain: Pick<ExecutionNode['chain'], 'label'>
  readonly consensus: Pick<RpcClient, 'call'>
}

const ASK_TIMEOUT_MS = 500

/**
 * Compares the head with the highest block that the consensus client heard of. A node that has just started may have a young head and
 * lack the newest blocks, so it is not ready before it has heard of one. Other consensus clients do not say: only the age counts then.
 */
export function createHeadLagCheck(maxLagBlocks: number, { chain, consensus }: HeadLagDependencies): HealthCheck {
  const askHeard = async (): Promise<unknown> => {
    try {
      return await consensus.call('optimism_heardHead', [], { retry: false, timeoutMs: ASK_TIMEOUT_MS })
    } catch (error) {
      return error instanceof RpcResponseError ? 'unknown' : undefined
    }
  }
  return {
    name: 'head-lag',
    isPublic: true,
    async check() {
      const heard = await askHeard()
      const { number } = chain.label('unsafe').header
      if (heard === undefined) return { ok: false, reason: 'the consensus client does not answer', remedy: 'check --rollup.rpc' }
      if (heard === null) return { ok: false, reason: 'the consensus client has heard of no block from its peers yet' }
      if (typeof heard !== 'number') return { ok: true, detail: 'not known: the consensus client names no block that it heard of' }
      const lag = Math.max(0, heard - number)
      if (lag <= maxLagBlocks) return { ok: true, detail: `head ${number}, ${counted(lag, 'block')} behind` }
      return {
        ok: false,
        reason: `head ${number} is ${lag} blocks behind block ${heard}; at most ${maxLagBlocks} are expected`,
        remedy: 'wait while it catches up; if it does not move, see the log of the consensus client',
      }
    },
  }
}
