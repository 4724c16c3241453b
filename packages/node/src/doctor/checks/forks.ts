import {
  FORKS,
  type ForkSchedule,
  findNextFork,
  statedForkTime,
  type UnsupportedFork,
  warnOfUnsupportedFork,
  warnOfUnsupportedL1Fork,
} from '@keelson/chainspec'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import { l2Time, NodeError } from '@keelson/primitives'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'

const DAY_SEC = 86_400
const SOON_DAYS = 7

export function networkNowSec({ machine, settings }: Pick<DoctorContext, 'machine' | 'settings'>): number {
  return Math.floor((machine.nowMs() + settings.clockOffsetMs) / 1000)
}

export const forksCheck: DoctorCheck = {
  name: 'forks',
  async run(context) {
    const { rollup } = context
    if (rollup === null) return skip('fork schedule', 'the network cannot be read')
    const nowSec = networkNowSec(context)
    const l2 = unsupported(
      rollup.firstUnsupportedFork,
      warnOfUnsupportedFork(rollup, nowSec),
      nowSec,
      'its own rules would lead to another chain',
    )
    return [await schedule(context, rollup.forks, nowSec), ...l2, ...unsupportedOnL1(context, nowSec)]
  },
}

async function schedule(context: DoctorContext, forks: ForkSchedule, nowSec: number): Promise<Result> {
  const { settings, probe, otherNetwork, rollup } = context
  const next = findNextFork(forks, nowSec)
  const active = forks.forkAt(l2Time(Math.max(nowSec, rollup?.genesis.l2TimestampSec ?? 0)))
  const own = await probe.call(settings.rollupRpc, 'optimism_rollupConfig', [])
  const asked = own.kind === 'result' && !otherNetwork
  const other = asked ? differing(own.value, forks) : null
  if (other !== null) return fail('the running consensus client has other forks', other, 'start it again with the same --network as here')
  const agree = asked ? '; the running consensus client agrees' : ''
  if (next === null) return ok(`${active} is active, no later fork is scheduled that this release implements${agree}`)
  const inDays = next.inSec / DAY_SEC
  const line = `${active} is active, ${next.fork} follows in ${inDays < 2 ? `${Math.round(inDays * 24)} hours` : `${Math.floor(inDays)} days`}${agree}`
  if (inDays > SOON_DAYS) return ok(line)
  return warn(
    line,
    'every node must run a release that implements it by then',
    'check that L1, beacon and execution client are up to date too',
  )
}

function differing(config: unknown, forks: Pick<ForkSchedule, 'activationTimeSec'>): string | null {
  for (const fork of FORKS.filter((each) => each !== 'bedrock')) {
    const [has, wants] = [statedForkTime(config, fork, '_time'), forks.activationTimeSec(fork)]
    if (has !== wants) return `${fork} at ${has ?? 'no time'}, rollup.json here says ${wants ?? 'no time'}`
  }
  return null
}

function unsupported(fork: UnsupportedFork | null, sentence: string | null, nowSec: number, why: string): readonly Result[] {
  if (fork === null || sentence === null) return []
  const [what, ...todo] = sentence.split('; ')
  const remedy = todo.join('; ')
  return [nowSec < fork.timeSec ? warn(what as string, why, remedy) : fail(what as string, why, remedy)]
}

function unsupportedOnL1({ settings }: DoctorContext, nowSec: number): readonly Result[] {
  try {
    const l1 = readL1ChainConfig(settings.network)
    return unsupported(l1.firstUnsupportedFork, warnOfUnsupportedL1Fork(l1, nowSec), nowSec, 'it cannot verify the blocks of that fork')
  } catch (error) {
    if (error instanceof NodeError) return []
    throw error
  }
}
