/** `npm run test:pack`: packs, installs the tarball with npm into empty folders, and runs the program from there. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runOrThrow } from './container/run-command.mjs'
import { createChecks } from './named-checks.mjs'
import { assertNodeVersion, ensureInstalled } from './setup.mjs'

const HELP = `usage: npm run test:pack -- [options]

  --port-offset N   ports of the development network, as in npm start; default 16000`
const MAX_TARBALL_BYTES = 7e6
const MAX_INSTALLED_BYTES = 200e6
const INSTALL_TIMEOUT_MS = 600_000
const SECRET = /(^|\/)(\.env|\.npmrc|jwt\.hex|password)|\.(pem|key)$/

const { values } = parseArgs({
  options: { 'port-offset': { type: 'string', default: '16000' }, help: { type: 'boolean', default: false } },
})
const { total, check } = createChecks()

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** Scripts of packages are off, so a package that has to be compiled fails here. */
const INSTALL = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

async function run(scratch) {
  const { pack } = await import('./pack/pack.mjs')
  const { checkInstalled } = await import('./pack/check-installed.mjs')
  let tarball
  const packed = await check('npm pack makes a tarball of the program, without keys', async () => {
    tarball = await pack(scratch)
    const files = (await runOrThrow('tar', ['-tzf', tarball])).split('\n')
    const { size } = statSync(tarball)
    console.log(`      ${megabytes(size)}, ${files.length} files`)
    assert.ok(size < MAX_TARBALL_BYTES)
    assert.deepEqual(
      files.filter((file) => SECRET.test(file)),
      [],
    )
  })
  if (!packed) return
  const prefix = join(scratch, 'prefix')
  const installed = await check('npm install -g installs it into an empty prefix, without running scripts', async () => {
    mkdirSync(prefix)
    await runOrThrow('npm', [...INSTALL, '--global', '--prefix', prefix, tarball], { timeoutMs: INSTALL_TIMEOUT_MS })
    const bytes = sizeOf(prefix)
    console.log(`      ${megabytes(bytes)}`)
    assert.ok(bytes < MAX_INSTALLED_BYTES)
  })
  if (installed) {
    const paths = { folder: join(prefix, 'lib/node_modules/keelson'), program: join(prefix, 'bin/keelson'), scratch }
    await checkInstalled({ ...paths, portOffset: Number(values['port-offset']) }, check)
  }
  await check('npx runs it in a project that has it beside its dependencies', async () => {
    const project = join(scratch, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
    await runOrThrow('npm', [...INSTALL, '--prefix', project, tarball], { timeoutMs: INSTALL_TIMEOUT_MS })
    const printed = await runOrThrow('npx', ['--prefix', project, '--no', 'keelson', 'network', 'show', 'op-sepolia'])
    assert.match(printed, /^chain id +11155420$/m)
  })
}

async function main() {
  if (values.help) return console.log(HELP)
  assertNodeVersion()
  ensureInstalled()
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-pack-'))
  try {
    await run(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed === 0 ? 0 : 1
}

await main()
