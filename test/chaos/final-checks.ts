import { awaitComplete } from '../support/bridge-watch.ts'
import { blockHashes, syncStatus } from '../support/chain-reading.ts'
import { findUncredited } from '../support/deposit-load.ts'
import type { DevnetProcess } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FaucetLoad, findWrongPayments } from '../support/faucet-load.ts'
import { startFollower } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'
import { assertHonestValidator, awaitAnotherAttestation } from '../support/validator-record.ts'

const SAFE_LIMIT_MS = 180_000
const EQUAL_LIMIT_MS = 120_000
const DERIVE_LIMIT_MS = 900_000
const AT_ONCE = 50
const NAMED = 5

const few = (items: readonly string[]) =>
  `${items.slice(0, NAMED).join(', ')}${items.length > NAMED ? ` and ${items.length - NAMED} more` : ''}`

const nodesOf = ({ facts }: DevnetProcess) => [facts.l2, facts.validator] as const

async function blockOf(url: string, hash: string): Promise<number> {
  const receipt = await rpcCall<{ blockNumber: string } | null>(url, 'eth_getTransactionReceipt', [hash])
  return receipt === null ? Number.POSITIVE_INFINITY : Number(receipt.blockNumber)
}

export async function assertAcceptedSafe(devnet: DevnetProcess, accepted: readonly string[]): Promise<string> {
  if (accepted.length === 0) throw new Error('no transaction was accepted')
  let missing: readonly string[] = accepted
  for (const node of nodesOf(devnet)) {
    missing = accepted
    await eventually(
      `every accepted transaction safe on ${node.rpcUrl}`,
      async () => {
        const left: string[] = []
        const safe = (await syncStatus(node.rollupRpcUrl)).safe_l2.number
        for (let from = 0; from < missing.length; from += AT_ONCE) {
          const some = missing.slice(from, from + AT_ONCE)
          const numbers = await Promise.all(some.map((hash) => blockOf(node.rpcUrl, hash)))
          left.push(...some.filter((_, i) => (numbers[i] as number) > safe))
        }
        missing = left
        return left.length === 0
      },
      SAFE_LIMIT_MS,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; ${missing.length} of ${accepted.length} are not: ${few(missing)}`)
    })
  }
  return `${accepted.length} transactions`
}

export async function assertDepositsCredited(devnet: DevnetProcess): Promise<string> {
  let credited = 0
  for (const node of nodesOf(devnet)) {
    const { safe_l2: safe } = await syncStatus(node.rollupRpcUrl)
    const { found, wrong } = await findUncredited(devnet.facts, node.rpcUrl, safe.l1origin.number, `0x${safe.number.toString(16)}`)
    if (found === 0) throw new Error('L1 holds no deposit')
    if (wrong.length > 0) throw new Error(`${node.rpcUrl}: ${few(wrong)}`)
    credited = found
  }
  return `${credited} deposits`
}

export async function assertBridgeComplete({ facts }: DevnetProcess, hashes: readonly string[]): Promise<string> {
  const { safe_l2: safe } = await syncStatus(facts.l2.rollupRpcUrl)
  const complete = await awaitComplete(facts, hashes, safe.l1origin.number)
  if (complete === 0) throw new Error('L1 holds no deposit')
  return `${complete} deposits`
}

export async function assertPaidOnce(devnet: DevnetProcess, claims: FaucetLoad): Promise<string> {
  if (claims.accepted.length === 0) throw new Error('no claim was accepted')
  for (const { rpcUrl } of nodesOf(devnet)) {
    await eventually(
      `every accepted claim paid at the safe head of ${rpcUrl}`,
      async () => {
        const wrong = await findWrongPayments(claims, rpcUrl, 'safe')
        if (wrong.length > 0) throw new Error(few(wrong))
        return true
      },
      SAFE_LIMIT_MS,
    )
  }
  return `${claims.accepted.length} claims`
}

export async function assertValidatorWell({ facts }: DevnetProcess): Promise<string> {
  const last = await awaitAnotherAttestation(facts)
  return `${(await assertHonestValidator(facts)).length} epochs, the last ${last}`
}

export async function assertEqualHeads(devnet: DevnetProcess): Promise<string> {
  const nodes = nodesOf(devnet)
  const equal = await eventually(
    'equal heads on both nodes',
    async () => {
      const [ours, theirs] = await Promise.all(nodes.map((node) => syncStatus(node.rollupRpcUrl)))
      if (ours === undefined || theirs === undefined) return null
      const heads = (['unsafe_l2', 'safe_l2', 'finalized_l2'] as const).map((head) => [ours[head], theirs[head]] as const)
      return heads.every(([a, b]) => a.hash === b.hash) ? ours : null
    },
    EQUAL_LIMIT_MS,
  )
  return `unsafe ${equal.unsafe_l2.number}, safe ${equal.safe_l2.number}, finalized ${equal.finalized_l2.number}`
}

export async function assertDerivable(
  devnet: DevnetProcess,
  port: number,
): Promise<{ readonly text: string; readonly verify: () => Promise<string> }> {
  const safe = (await syncStatus(devnet.facts.l2.rollupRpcUrl)).safe_l2.number
  const follower = startFollower(devnet, port)
  try {
    const started = performance.now()
    await eventually(
      `a fresh node deriving ${safe} blocks`,
      async () => (await syncStatus(follower.rollupRpcUrl)).safe_l2.number >= safe,
      DERIVE_LIMIT_MS,
    )
    const seconds = (performance.now() - started) / 1000
    const [derived, expected] = await Promise.all([follower.rpcUrl, devnet.facts.l2.rpcUrl].map((url) => blockHashes(url, safe)))
    const differing = derived?.findIndex((hash, i) => hash !== expected?.[i]) ?? -1
    if (differing >= 0) throw new Error(`block ${differing + 1} is ${expected?.[differing]}, but was derived as ${derived?.[differing]}`)
    await follower.stop()
    return {
      text: `${safe} blocks in ${seconds.toFixed(1)} s`,
      verify: () => assertWholeDatabase(follower.executionDir).finally(() => follower.remove()),
    }
  } catch (error) {
    const output = follower.output.slice(-NAMED).join('')
    await follower.remove()
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${output}`)
  }
}

export async function assertWholeDatabase(executionDir: string): Promise<string> {
  const { code, stdout, stderr } = await runKeelson(['db', 'verify', '--full', '--data-dir', executionDir])
  if (code !== 0) throw new Error(`keelson db verify --full exited with code ${code}:\n${stdout}${stderr}`)
  return stdout.trim().split('\n').at(-1) ?? ''
}

export async function assertSupply(executionDir: string, networkDir: string): Promise<string> {
  const { code, stdout, stderr } = await runKeelson(['db', 'supply', '--data-dir', executionDir, '--network', networkDir])
  if (code !== 0) throw new Error(`keelson db supply exited with code ${code}:\n${stdout}${stderr}`)
  return stdout.trim().split('\n').at(-1) ?? ''
}
