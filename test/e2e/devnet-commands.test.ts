import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { blockAt } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually, growsTo } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson, startKeelson } from '../support/keelson-process.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const SOMEBODY = '0x00000000000000000000000000000000000000aa'
const STEP_SEC = 600

describe('commands of a running development network', () => {
  let devnet: DevnetProcess
  const command = (...words: string[]) => runKeelson(['devnet', ...words, '--data-dir', devnet.folder])
  const succeed = async (...words: string[]) => {
    const { code, stdout, stderr } = await command(...words)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const refused = async (expected: RegExp, ...words: string[]) => {
    const { code, stderr } = await command(...words)
    assert.match(stderr, expected)
    assert.equal(code, 1)
  }
  const l2 = <T>(method: string, ...params: unknown[]) => rpcCall<T>(devnet.facts.l2.rpcUrl, method, params)
  const balance = async (url: string) => BigInt(await rpcCall<string>(url, 'eth_getBalance', [SOMEBODY, 'latest']))
  const head = async (url: string) => {
    const { number, timestamp, hash } = await rpcCall<{ number: string; timestamp: string; hash: string }>(url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    return { number: Number(number), timestampSec: Number(timestamp), hash }
  }

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices('index'))
  })
  after(() => devnet?.remove())

  it('signs for the funded accounts, and names the command for what a rollup cannot do', async () => {
    const [sender, receiver] = devnet.facts.accounts
    assert.deepEqual(
      await l2('eth_accounts'),
      devnet.facts.accounts.map(({ address }) => address),
    )
    const hash = await l2<string>('eth_sendTransaction', { from: sender?.address, to: receiver?.address, value: '0x1' })
    await eventually('the transaction', () => l2('eth_getTransactionReceipt', hash))
    assert.equal((await l2<unknown[]>('trace_transaction', hash)).length, 1)
    await assert.rejects(l2('evm_snapshot'), /-32004 .*keelson devnet snapshot NAME/)
    await assert.rejects(rpcCall(devnet.facts.validator.rpcUrl, 'eth_sendTransaction', [{ from: sender?.address }]), /-32601/)
    assert.equal(await l2('evm_mine'), '0x0')
  })

  it('fund gives any amount by a deposit that the validator derives from L1 too', async () => {
    assert.match(
      await succeed('fund', SOMEBODY, '20000.5'),
      /got 20000\.5 ETH and has 20000\.5: transaction 0x[0-9a-f]{64} in L2 block \d+/,
    )
    assert.equal(await balance(devnet.facts.l2.rpcUrl), parseEther('20000.5'))
    await eventually('the deposit at the validator', async () => (await balance(devnet.facts.validator.rpcUrl)) === parseEther('20000.5'))
    const portal = devnet.facts.contracts.OptimismPortal
    const locked = await rpcCall<string>(devnet.facts.l1.rpcUrl, 'eth_getBalance', [portal, 'latest'])
    assert.ok(BigInt(locked) >= parseEther('20000.5'), 'the amount is on L1')
    await refused(/ADDRESS: expected an address/, 'fund', '0x12', '1')
    await refused(/at least 0\.01 of the native currency/, 'fund', SOMEBODY, '0.001')
  })

  it('status counts the restarts of a role, and logs shows why', async () => {
    const { batcher } = devnet.rolePids()
    process.kill(batcher as number, 'SIGKILL')
    await eventually('the restart of the batcher', async () => {
      const { stdout } = await command('status', '--json')
      const { roles } = JSON.parse(stdout) as { roles: { role: string; pid: number; restarts: number; ready: boolean }[] }
      assert.ok(roles.every(({ role, restarts }) => restarts === (role === 'batcher' ? 1 : 0)))
      return roles.find(({ role, pid, ready }) => role === 'batcher' && pid !== batcher && ready)
    })
    await eventually('every role being ready', async () => {
      const { code, stdout } = await command('status')
      assert.match(stdout, /^\w+ +batcher .*restarted 1 time$/m)
      return code === 0
    })
    assert.equal((await succeed('logs', 'batcher', '--lines', '10000')).match(/ listening /g)?.length, 2, 'it began twice')
    assert.match(await succeed('logs', '--lines', '200'), /^execution +INFO .* block .*number=\d+/m)
    await refused(/no role "nobody" has a log .*; there are batcher, /, 'logs', 'nobody')
  })

  it('logs -f prints new lines until it is ended', async () => {
    const following = startKeelson(['devnet', 'logs', 'execution', '-f', '--lines', '0', '--data-dir', devnet.folder])
    await eventually('two more blocks', async () => (following.output().match(/ block /g) ?? []).length >= 2)
    assert.equal((await following.stop()).code, null)
  })

  it('snapshot and restore bring both chains and the validator back to a block', async () => {
    const kept = await head(devnet.facts.l2.rpcUrl)
    const l1Kept = await head(devnet.facts.l1.rpcUrl)
    assert.match(await succeed('snapshot', 'before'), /^saved "before", \d+ MiB; the network stood still for \d+\.\d s\./)
    assert.match(await succeed('snapshot'), /^before {2}/)
    await refused(/there is a snapshot "before" already/, 'snapshot', 'before')
    await refused(/expected a name/, 'snapshot', '../before')
    await refused(/there is no snapshot "other" of .*; there are before/, 'restore', 'other')
    mkdirSync(join(devnet.folder, 'snapshots', '.unfinished', 'content'), { recursive: true })
    writeFileSync(join(devnet.folder, 'snapshots', '.unfinished', 'snapshot.json'), '{}')
    assert.doesNotMatch(await succeed('snapshot'), /unfinished/)

    await succeed('fund', SOMEBODY, '1')
    const lost = await head(devnet.facts.l2.rpcUrl)
    assert.match(await succeed('restore', 'before'), /^restored "before"; the network runs again after/)
    assert.equal((await blockAt(devnet.facts.l2.rpcUrl, kept.number))?.hash, kept.hash)
    assert.equal((await blockAt(devnet.facts.l1.rpcUrl, l1Kept.number))?.hash, l1Kept.hash)
    assert.equal(await balance(devnet.facts.l2.rpcUrl), parseEther('20000.5'), 'the second deposit never happened')
    await growsTo('the validator', lost.number, async () => (await head(devnet.facts.validator.rpcUrl)).number)
    assert.notEqual((await blockAt(devnet.facts.validator.rpcUrl, lost.number))?.hash, lost.hash, 'another block replaces the lost one')
    await eventually('every role being ready', async () => (await command('status')).code === 0)
  })

  it('time moves the clocks of both chains, and L2 has every block in between', async () => {
    const before = await head(devnet.facts.l2.rpcUrl)
    await succeed('time', '+10m')
    for (const { rpcUrl } of [devnet.facts.l1, devnet.facts.l2])
      await growsTo(`the time of ${rpcUrl}`, before.timestampSec + STEP_SEC, async () => (await head(rpcUrl)).timestampSec)
    const now = await head(devnet.facts.l2.rpcUrl)
    assert.equal(now.timestampSec - before.timestampSec, 2 * (now.number - before.number))
    assert.match(await succeed('time'), /^network .*\nL1 .*\nL2 /)
    await refused(/time does not go back; .*devnet restore NAME/, 'time', '-1h')
    await refused(/from \+1s to \+7d/, 'time', '+8d')
    await growsTo('the validator', now.number, async () => (await head(devnet.facts.validator.rpcUrl)).number)
    await eventually('the same block there', async () => (await blockAt(devnet.facts.validator.rpcUrl, now.number))?.hash === now.hash)
    assert.equal(await l2('eth_chainId'), '0x14a34')
  })
})
