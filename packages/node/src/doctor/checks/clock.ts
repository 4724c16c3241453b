/** Date headers of other checks' responses are accurate to half a second plus half the response time. */
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok, skip, warn } from '../finding.ts'

/** Gossip rejects blocks that are further in the future. */
const MAX_OFF_MS = 5_000
const WARN_MS = 2_000
const THIS_MACHINE = /^(localhost|127\.|\[::1\])/

export const clockCheck: DoctorCheck = {
  name: 'clock',
  async run({ probe }) {
    const samples = [...probe.clockSamples].sort((a, b) => a.errorMs - b.errorMs)
    // Programs on this machine share its clock, so other hosts come first.
    const best = samples.find(({ host }) => !THIS_MACHINE.test(host)) ?? samples[0]
    if (best === undefined) return skip('clock', 'no node stated the time in its answer')
    const surely = Math.max(0, Math.abs(best.offsetMs) - best.errorMs)
    const by = `by the Date header of ${best.host}`
    if (surely < WARN_MS) {
      const same = THIS_MACHINE.test(best.host) ? ', which is on this machine: ask an L1 elsewhere to be sure' : ''
      return ok(`the clock agrees within ${(best.errorMs / 1000).toFixed(1)} s ${by}${same}`)
    }
    const what = `the clock is ${(Math.abs(best.offsetMs) / 1000).toFixed(1)} s ${best.offsetMs > 0 ? 'ahead' : 'behind'}, ${by}`
    const todo = 'switch on time synchronisation (timedatectl set-ntp true)'
    if (surely < MAX_OFF_MS) return warn(what, 'blocks come late or early by as much', todo)
    return fail(what, 'gossiped blocks are refused, by others or by us, and the engine API refuses tokens that are 60 s off', todo)
  },
}
