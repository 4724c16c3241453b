/** Who sends a contract pays for the compiler and for the store. */
import type { Clock } from '@keelson/primitives'
import { anonymousOrigin, createRpcAccess, type RpcAccess, type RpcAccessOptions, unlimitedCaller } from '@keelson/runtime'
import type { FastifyRequest } from 'fastify'
import type { Payer } from '../../verify/verifier.ts'
import { VerifyRefusal } from '../../verify/verify-refusal.ts'

export interface Payers {
  of(request: FastifyRequest): Payer
}

/** Seconds of the compiler's processor time: ten minutes of an hour, and a minute at once. */
const COMPILE_RATE = { perSec: 1 / 6, burst: 60 }
/** Taken before a compilation, of which the rest is given back. */
const RESERVED_SEC = 10
/** KiB of sources that one caller may have stored: 8 MiB, and as much a day. */
const SOURCES_RATE = { perSec: 8_192 / 86_400, burst: 8_192 }
const KIB = 1024

export function createPayers(options: RpcAccessOptions, clock: Clock): Payers {
  const compiling = createRpcAccess(options, { clock, anonymous: () => COMPILE_RATE })
  const sources = createRpcAccess(options, { clock, anonymous: () => SOURCES_RATE })
  return {
    of(request) {
      const callerIn = (access: RpcAccess) => {
        const entry = access.identify(anonymousOrigin(request.raw))
        return entry.ok ? entry.caller : unlimitedCaller('unknown', 'unknown')
      }
      const compiler = callerIn(compiling)
      const storing = callerIn(sources)
      return {
        name: compiler.client,
        charge(bytes) {
          refuseAbove(
            compiler.take(RESERVED_SEC),
            `${COMPILE_RATE.burst} s of the compiler at once and ${COMPILE_RATE.perSec * 60} s a minute`,
          )
          const waitMs = storing.take(Math.ceil(bytes / KIB))
          if (waitMs > 0) compiler.charge(-RESERVED_SEC)
          refuseAbove(waitMs, `${SOURCES_RATE.burst / KIB} MiB of sources a day`)
        },
        paid: (cpuMs) => compiler.charge(cpuMs / 1_000 - RESERVED_SEC),
      }
    },
  }
}

function refuseAbove(waitMs: number, most: string): void {
  if (waitMs <= 0) return
  const seconds = Math.max(1, Math.ceil(Math.min(waitMs, 3_600_000) / 1000))
  const message = `too many contracts from this address or its network; retry in ${seconds} s`
  throw new VerifyRefusal('rate-limited', message, `at most ${most}`, seconds)
}
