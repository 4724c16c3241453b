/** Reports an unsupported fork in the log and `/readyz`. */
import type { Header, Logger } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'
import type { ChainReader } from './chain/chain-reader.ts'
import type { ChainRules } from './chain-rules.ts'

export interface ForkStop {
  look(head: Pick<Header, 'number' | 'timestampSec'>): void
  readonly checks: readonly HealthCheck[]
}

export function createForkStop({ limit = null }: Pick<ChainRules, 'limit'>, chain: Pick<ChainReader, 'label'>, log: Logger): ForkStop {
  if (limit === null) return { look: () => undefined, checks: [] }
  const { what, why, remedy } = limit.stop
  let said = false
  const check: HealthCheck = {
    name: 'fork',
    check() {
      if (!limit.isLast(chain.label('unsafe').header.timestampSec)) return { ok: true, detail: `block ${limit.lastBlock} is the last one` }
      return { ok: false, reason: `${what}: ${why}`, remedy }
    },
  }
  return {
    look({ number, timestampSec }) {
      if (said || !limit.isLast(timestampSec)) return
      said = true
      if (!limit.refuses(timestampSec)) log.warn(what, { why, remedy })
      else {
        log.error(`the stored chain continues past fork ${limit.fork.name} without the fork's rules`, {
          head: number,
          why,
          remedy: `roll back with "keelson db rollback --to ${limit.lastBlock}", then ${remedy}`,
        })
      }
    },
    checks: [check],
  }
}
