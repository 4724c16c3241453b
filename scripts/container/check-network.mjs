import assert from 'node:assert/strict'
import { join } from 'node:path'
import { ROOT } from '../setup.mjs'
import { readCompose } from './compose-file.mjs'
import { eventually } from './run-command.mjs'

const SEQUENCER = 'http://127.0.0.1:8545'
const FOLLOWER = 'http://127.0.0.1:8645'
const WAIT_MS = 180_000

async function rpc(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(5_000),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method} at ${url}: ${error.message}`)
  return result
}

const blockAt = (url, tag) => rpc(url, 'eth_getBlockByNumber', [tag, false])
const numberOf = (block) => Number(block.number)

export async function checkNetwork(engine, image, check) {
  const file = join(ROOT, 'compose.yaml')
  const { services } = readCompose(file, process.env)
  const roles = Object.keys(services).filter((name) => name !== 'setup')
  const network = engine.project({ name: 'keelson-test', file, image, env: {} })
  const explained = async (act) => {
    try {
      await act()
    } catch (error) {
      const logs = await Promise.all(roles.map(async (role) => `--- ${role}\n${(await network.logs(role).catch(() => '')).slice(-1500)}`))
      throw new Error(`${error.message}\n${logs.join('\n')}`)
    }
  }
  try {
    const up = await check('compose.yaml: every role starts and reports that it is ready', () => explained(() => network.up()))
    if (!up) return
    let before
    await check('blocks are built and become safe, and the validator has the same ones', () =>
      explained(async () => {
        const safe = await eventually(
          'a safe block',
          async () => ((block) => (numberOf(block) > 0 ? block : null))(await blockAt(SEQUENCER, 'safe')),
          WAIT_MS,
        )
        const same = await eventually('the same block on the validator', () => blockAt(FOLLOWER, safe.number), WAIT_MS)
        assert.equal(same.hash, safe.hash)
        before = safe
      }),
    )
    await check('the validator attests with stake', () =>
      explained(() =>
        eventually(
          'the stake',
          async () =>
            (await network.exec('validator', ['keelson', 'healthcheck', '--ready', '--', ...services.validator.command])).code === 0
              ? true
              : null,
          WAIT_MS,
        ),
      ),
    )
    await check('SIGTERM stops every role in order with exit code 0', async () => {
      const stopping = roles.filter((name) => name !== 'l1' && name !== 'beacon')
      const codes = await network.stop(stopping)
      assert.deepEqual(codes, Object.fromEntries(stopping.map((name) => [name, 0])))
    })
    await checkValidator(engine, image, check, { before, l1: network })
    await check('L1 stops in order as well, and a restarted network continues the same chain', () =>
      explained(async () => {
        assert.deepEqual(await network.stop(['beacon', 'l1']), { beacon: 0, l1: 0 })
        await network.up()
        assert.equal((await blockAt(SEQUENCER, before.number)).hash, before.hash)
        const head = numberOf(await blockAt(SEQUENCER, 'latest'))
        await eventually('a new block', async () => (numberOf(await blockAt(SEQUENCER, 'latest')) > head ? true : null), WAIT_MS)
      }),
    )
  } finally {
    await network.down()
  }
}

/** The projects share only the L1 and the network's folder. */
async function checkValidator(engine, image, check, { before, l1 }) {
  const env = { L1_RPC: 'http://l1:7545', L1_BEACON: 'http://beacon:7546', KEELSON_NETWORK: await l1.networkFolder() }
  const validator = engine.project({
    name: 'keelson-test-validator',
    file: join(ROOT, 'config', 'compose', 'validator.yaml'),
    image,
    env,
    beside: l1,
  })
  const services = ['secret', 'execution', 'consensus']
  try {
    await check('validator.yaml: the same blocks are derived from an external L1 alone', async () => {
      try {
        await validator.up(services)
        const same = await eventually(
          `block ${Number(before.number)} from L1`,
          async () => ((block) => (block === null ? null : block))(await blockAt(SEQUENCER, before.number)),
          WAIT_MS,
        )
        assert.equal(same.hash, before.hash)
      } catch (error) {
        const logs = await Promise.all(
          services.map(async (name) => `--- ${name}\n${(await validator.logs(name).catch(() => '')).slice(-2000)}`),
        )
        throw new Error(`${error.message}\n${logs.join('\n')}`)
      }
    })
    await check('validator.yaml: SIGTERM stops both clients in order', async () => {
      assert.deepEqual(await validator.stop(['consensus', 'execution']), { consensus: 0, execution: 0 })
    })
  } finally {
    await validator.down()
  }
}
