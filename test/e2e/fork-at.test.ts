import assert from 'node:assert/strict'
import { decodeParameters, encodeCall, PREDEPLOYS } from '@keelson/contracts'
import { bytesToHex, type Hex, hexToBytes } from '@keelson/primitives'
import { findAgreement } from '../support/agreement.ts'
import { blockAt } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { growsTo } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'
import { startTransactionLoad, type TransactionLoad } from '../support/transaction-load.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
/** After genesis. The network has to start before these, also on a busy machine. */
const ISTHMUS_SEC = 120
const JOVIAN_SEC = 122
const LAST_SEC = 126
const ASK_DEPLOYER = { to: PREDEPLOYS.ConditionalDeployer, data: bytesToHex(encodeCall('version()')) }

describe('a network whose forks come while it runs', () => {
  let devnet: DevnetProcess | undefined
  let load: TransactionLoad | undefined
  after(async () => {
    await load?.stop().catch(() => undefined)
    await devnet?.remove()
  })

  it('refuses forks in the wrong order before anything starts', async () => {
    const { code, stderr } = await runKeelson([
      'devnet',
      '--data-dir',
      newDevnetFolder(),
      '--fork-at',
      'jovian=10',
      '--fork-at',
      'isthmus=20',
    ])
    assert.notEqual(code, 0)
    assert.match(stderr, /--fork-at: fork jovian is set to 10, before isthmus at 20/)
  })

  it('crosses them with both nodes, and shows them in its status before', async () => {
    const forks = [`isthmus=${ISTHMUS_SEC}`, `jovian=${JOVIAN_SEC}`, `karst=${LAST_SEC}`].flatMap((fork) => ['--fork-at', fork])
    const fast = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '1', '--batcher.max-channel-duration', '1']
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [...forks, ...fast, ...withServices()])
    const running = devnet
    const { l2, validator } = running.facts
    load = startTransactionLoad(running, [1, 2], 500)
    const { stdout } = await runKeelson(['devnet', 'status', '--data-dir', running.folder])
    assert.match(stdout, /forks to come: isthmus in \d+ (s|min), jovian in \d+ (s|min), karst in \d+ (s|min)/)
    assert.equal(await rpcCall(l2.rpcUrl, 'eth_call', [ASK_DEPLOYER, 'latest']).catch(() => null), null)

    const last = LAST_SEC / 2 + 2
    await growsTo('the safe block of both nodes', last, async () => (await findAgreement(running))?.safe ?? 0)
    const forbidden = [JOVIAN_SEC, LAST_SEC].map((sec) => sec / 2)
    for (const number of forbidden) {
      const types = (await blockAt(validator.rpcUrl, number))?.transactions.map(({ type }) => Number(type)) ?? []
      assert.ok(types.length > 1, `block ${number} holds upgrade transactions`)
      assert.ok(
        types.every((type) => type === 0x7e),
        `block ${number} holds deposits only, got types ${types.join()}`,
      )
    }
    for (const { rpcUrl } of [l2, validator]) {
      const answer = hexToBytes(await rpcCall<Hex>(rpcUrl, 'eth_call', [ASK_DEPLOYER, 'latest']))
      assert.deepEqual(decodeParameters('string', answer), ['1.0.0'])
    }
    await load.stop()
    assert.ok(load.accepted.length > 20)
    const after = await runKeelson(['devnet', 'status', '--data-dir', running.folder])
    assert.doesNotMatch(after.stdout, /forks to come/)
  })
})
