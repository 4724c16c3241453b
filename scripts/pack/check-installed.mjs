/** Checks of a `keelson` that npm installed from the tarball. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, runCommand, runOrThrow } from '../container/run-command.mjs'
import { ROOT } from '../setup.mjs'

const START_TIMEOUT_MS = 300_000
const BLOCKS_TIMEOUT_MS = 120_000
const COMMAND_TIMEOUT_MS = 120_000
const BLOCKS = 3

/** `folder` holds the installed package; `program` is its command. */
export async function checkInstalled({ folder, program, scratch, portOffset }, check) {
  const run = (args, options) => runCommand(program, args, { timeoutMs: COMMAND_TIMEOUT_MS, ...options })

  await check('every installed package has a version of the lockfile', async () => {
    const locked = lockedVersions()
    const installed = [...packagesBelow(join(folder, 'node_modules'))]
    console.log(`      ${installed.length} packages`)
    assert.ok(installed.length > 10)
    assert.deepEqual(
      installed.filter((name) => !locked.has(name)),
      [],
    )
  })
  await check('keelson --version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    assert.equal(await runOrThrow(program, ['--version'], { timeoutMs: COMMAND_TIMEOUT_MS }), version)
  })
  await check('keelson execution --print-config reads a preset and a network of the package', async () => {
    const { code, output } = await run([
      'execution',
      '--config',
      'archive',
      '--network',
      'op-sepolia',
      '--data-dir',
      scratch,
      '--print-config',
    ])
    assert.equal(code, 0, output)
    assert.match(output, /^state\.mode +archive +file /m)
    assert.match(output, /^chain id +11155420$/m)
  })
  await check('keelson doctor finds Node.js, the native modules and the network in order', async () => {
    const { output } = await run(['doctor', '--network', 'op-sepolia'])
    assert.match(output, /^ok +node +.*native modules load$/m)
    assert.match(output, /^ok +network /m)
  })
  await check(`a development network starts from the package, makes ${BLOCKS} blocks and stops`, async () => {
    const dataDir = join(scratch, 'devnet')
    const offset = ['--port-offset', String(portOffset)]
    try {
      const { code, output } = await run(['devnet', '--detach', '--data-dir', dataDir, ...offset], { timeoutMs: START_TIMEOUT_MS })
      assert.equal(code, 0, output)
      const { l2 } = JSON.parse(readFileSync(join(dataDir, 'devnet.json'), 'utf8'))
      await eventually(`block ${BLOCKS}`, async () => ((await blockNumber(l2.rpcUrl)) >= BLOCKS ? true : null), BLOCKS_TIMEOUT_MS)
    } finally {
      await run(['devnet', 'stop', '--data-dir', dataDir])
    }
  })
}

async function blockNumber(url) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return Number((await response.json()).result)
}

function lockedVersions() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const name = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return new Set(Object.entries(packages).map(([path, { version }]) => `${name(path)}@${version}`))
}

/** Yields name@version. */
function* packagesBelow(modules) {
  if (!existsSync(modules)) return
  for (const entry of readdirSync(modules)) {
    if (entry.startsWith('.')) continue
    const names = entry.startsWith('@') ? readdirSync(join(modules, entry)).map((name) => `${entry}/${name}`) : [entry]
    for (const name of names) {
      yield `${name}@${JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version}`
      yield* packagesBelow(join(modules, name, 'node_modules'))
    }
  }
}
