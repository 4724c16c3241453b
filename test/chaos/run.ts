/** `npm run chaos`: kills and L1 reorgs under load, on a schedule that follows from the seed. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from '@keelson/runtime'
import { startBridgeWatch } from '../support/bridge-watch.ts'
import { startDepositLoad } from '../support/deposit-load.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { startFaucetLoad } from '../support/faucet-load.ts'
import { ROLE_NAMES, roleProbes } from '../support/role-probes.ts'
import { startTransactionLoad } from '../support/transaction-load.ts'
import { createJudge, type Judge } from './checks.ts'
import {
  assertAcceptedSafe,
  assertBridgeComplete,
  assertDepositsCredited,
  assertDerivable,
  assertEqualHeads,
  assertPaidOnce,
  assertSupply,
  assertValidatorWell,
  assertWholeDatabase,
} from './final-checks.ts'
import { createLogWatch } from './log-watch.ts'
import { type ChaosOptions, readOptions, USAGE } from './options.ts'
import { createOutages } from './outages.ts'
import { renderChecks, renderRoles } from './render-report.ts'
import { createRoleKiller } from './role-killer.ts'
import { createSafeChain } from './safe-chain.ts'
import { describe, makeSchedule, roundsIn, type Scheduled } from './schedule.ts'

const SENDERS = [1, 2, 3]
const SEND_INTERVAL_MS = 500
const DEPOSIT_INTERVAL_MS = 5_000
const CLAIM_INTERVAL_MS = 2_000
const LOOK_INTERVAL_MS = 500
const FOLLOWER_PORT = 32_100
const DEVNET_OPTIONS = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2']

const print = (line: string) => console.log(line)

interface Ended {
  readonly table: string
  readonly history: readonly unknown[]
}

async function disturbAndWatch(
  devnet: DevnetProcess,
  options: ChaosOptions,
  schedule: readonly Scheduled[],
  judge: Judge,
  ending: AbortSignal,
): Promise<Ended> {
  const { facts } = devnet
  const safeChanges = judge.watch('safe blocks change only when L1 replaces their origin; heads are in order')
  const deaths = judge.watch('no role exits by itself, and each killed role serves again within 60 s')
  const wentBack = judge.watch('the bridge reverts a deposit state only after a reorg')
  const words = judge.watch('no role logs a violated invariant, a bug or corruption')
  const probes = roleProbes(options.portOffset)
  await eventually('a response from every role', () => Promise.all(ROLE_NAMES.map((role) => probes[role](devnet))))
  const killer = createRoleKiller(devnet, options.portOffset, deaths.violation)
  const logs = createLogWatch(join(devnet.folder, 'logs'), words.violation)
  const outages = createOutages()
  const chains = (
    [
      ['sequencer', facts.l2],
      ['validator', facts.validator],
    ] as const
  ).map(([name, { rpcUrl, rollupRpcUrl }]) => createSafeChain({ name, rpcUrl, rollupRpcUrl }, facts.l1.rpcUrl, safeChanges.violation))
  const history: unknown[] = []
  const running = new AbortController()
  const every = async (act: () => Promise<void>) => {
    while (!running.signal.aborted) {
      await act()
      await delay(LOOK_INTERVAL_MS, undefined, { signal: running.signal }).catch(() => undefined)
    }
  }
  let sequencerHeads: readonly number[] = []
  const watching = Promise.all([
    ...chains.map((chain, i) =>
      every(async () => {
        const status = await chain.heads()
        if (status === null) return
        const heads = [status.unsafe_l2.number, status.safe_l2.number, status.finalized_l2.number]
        history.push([Date.now(), chain.node.name, ...heads])
        if (i === 0) {
          sequencerHeads = heads
          outages.seen('unsafe', status.unsafe_l2.number, performance.now())
          outages.seen('safe', status.safe_l2.number, performance.now())
        }
        await chain.follow(status.safe_l2.number)
      }),
    ),
    every(async () => {
      logs.look()
      killer.findOwnDeaths()
    }),
  ])
  const load = startTransactionLoad(devnet, SENDERS, SEND_INTERVAL_MS)
  const deposits = startDepositLoad(facts, DEPOSIT_INTERVAL_MS)
  const claims = startFaucetLoad(facts.services.faucet, CLAIM_INTERVAL_MS)
  const bridge = startBridgeWatch(facts, deposits.hashes, wentBack.violation)
  const started = performance.now()
  for (const { atMs, what } of schedule) {
    await delay(Math.max(0, started + atMs - performance.now()), undefined, { signal: ending }).catch(() => undefined)
    if (ending.aborted) break
    print(
      `${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${describe(what)}  (unsafe ${sequencerHeads[0]}, safe ${sequencerHeads[1]})`,
    )
    history.push([Date.now(), what])
    outages.disturbed(what.kind === 'l1-reorg' ? what.kind : what.role, performance.now())
    await killer
      .disturb(what)
      .catch((error: unknown) => deaths.violation(`${describe(what)}: ${error instanceof Error ? error.message : String(error)}`))
  }
  await killer.settled()
  await deposits.stop()
  await judge.verify('the load continues to the end', async () => {
    await load.stop()
    await claims.stop()
    return `${load.accepted.length} transactions, ${deposits.hashes.length} deposits and ${claims.accepted.length} claims accepted`
  })
  await judge.verify('every accepted transaction becomes safe on both nodes', () => assertAcceptedSafe(devnet, load.accepted))
  await judge.verify('heads are equal on both nodes', () => assertEqualHeads(devnet))
  await judge.verify('every deposit that L1 kept is credited', () => assertDepositsCredited(devnet))
  await judge.verify('the bridge reports every deposit that L1 kept as complete', () => assertBridgeComplete(devnet, deposits.hashes))
  await bridge.stop()
  wentBack.describe(`${bridge.deposits} deposits, ${bridge.answers} answers`)
  await judge.verify('the faucet pays every accepted claim once, on both nodes', () => assertPaidOnce(devnet, claims))
  await judge.verify('the validator keeps attesting, never twice, and is not slashed', () => assertValidatorWell(devnet))
  const least = roundsIn(options.minutes)
  await judge.verify(`each role was killed ${least} times or more`, async () => {
    const kills = ROLE_NAMES.map((role) => killer.counts[role].kills)
    if (Math.min(...kills) < least) throw new Error(ROLE_NAMES.map((role, i) => `${role} ${kills[i]}`).join(', '))
    return `${kills.reduce((sum, count) => sum + count, 0)} kills, ${killer.reorgs} reorganisations of L1`
  })
  running.abort()
  await watching
  safeChanges.describe(
    chains.map(({ node, blocks, replaced }) => `${node.name}: ${blocks.length} blocks, ${replaced} replaced after L1 reorgs`).join('; '),
  )
  return { table: renderRoles(killer, outages, logs.counts), history }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Date.now())
  if (options === null) {
    print(USAGE)
    return 0
  }
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort())
  const schedule = makeSchedule(createSeededRandom(options.seed), options.minutes, ROLE_NAMES)
  print(`seed ${options.seed}, ${options.minutes} min, ${schedule.length} disturbances`)
  const judge = createJudge(print)
  const devnet = await startDevnet(newDevnetFolder(), options.portOffset, DEVNET_OPTIONS)
  let ended: Ended = { table: '', history: [] }
  let bundle = ''
  try {
    ended = await disturbAndWatch(devnet, options, schedule, judge, ending.signal)
    let verifyFresh: (() => Promise<string>) | null = null
    await judge.verify('a fresh node that reads only L1 derives the same blocks', async () => {
      const { text, verify } = await assertDerivable(devnet, FOLLOWER_PORT)
      verifyFresh = verify
      return text
    })
    await devnet.interrupt()
    const { l2, validator } = devnet.facts
    for (const [name, { dataDir }] of [
      ['sequencer', l2],
      ['validator', validator],
    ] as const) {
      await judge.verify(`keelson db verify --full: ${name}`, () => assertWholeDatabase(join(dataDir, 'execution')))
      await judge.verify(`keelson db supply: ${name}`, () => assertSupply(join(dataDir, 'execution'), join(devnet.folder, 'network')))
    }
    if (verifyFresh !== null) await judge.verify('keelson db verify --full: fresh node', verifyFresh)
  } catch (error) {
    await judge.verify('the run completes', () => Promise.reject(error))
  } finally {
    await devnet.interrupt()
    if (judge.failed || options.out !== null) bundle = leaveBundle(devnet, options, schedule, judge, ended)
    await devnet.remove()
  }
  print(`\n${ended.table}\n\n${renderChecks(judge.checks)}`)
  if (bundle !== '')
    print(`logs, heads and schedule: ${bundle}; to repeat: npm run chaos -- --minutes ${options.minutes} --seed ${options.seed}`)
  return judge.failed ? 1 : 0
}

function leaveBundle(
  devnet: DevnetProcess,
  options: ChaosOptions,
  schedule: readonly Scheduled[],
  judge: Judge,
  { history, table }: Ended,
): string {
  const out = options.out ?? mkdtempSync(join(tmpdir(), 'keelson-chaos-'))
  mkdirSync(out, { recursive: true })
  cpSync(join(devnet.folder, 'logs'), join(out, 'logs'), { recursive: true })
  cpSync(join(devnet.folder, 'network', 'rollup.json'), join(out, 'rollup.json'))
  const write = (name: string, value: unknown) => writeFileSync(join(out, name), `${JSON.stringify(value, null, 1)}\n`)
  write('schedule.json', { ...options, schedule })
  write('checks.json', judge.checks)
  writeFileSync(join(out, 'heads.jsonl'), history.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  writeFileSync(join(out, 'roles.txt'), `${table}\n`)
  return out
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`chaos: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
