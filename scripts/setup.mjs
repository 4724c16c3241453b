/** Plain JavaScript, because it runs before any installation. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MIN_NODE = [20, 19, 0]
const LOCK = join(ROOT, 'package-lock.json')
/** npm writes it when an installation is complete. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json')
const BUILD_MARKER = join(ROOT, 'dist', '.keelson-sources')

function fail(message) {
  console.error(`keelson: ${message}`)
  process.exit(1)
}

export function assertNodeVersion() {
  const have = process.versions.node.split('.').map(Number)
  for (let i = 0; i < 3; i++) {
    if (have[i] > MIN_NODE[i]) return
    if (have[i] < MIN_NODE[i])
      fail(`Node.js ${MIN_NODE.join('.')} or newer is needed, this is ${process.versions.node}. Install one from nodejs.org.`)
  }
}

export function ensureInstalled() {
  if (existsSync(INSTALLED) && isInstalled(packagesOf(LOCK), packagesOf(INSTALLED))) return
  const started = Date.now()
  console.error('keelson: installing dependencies from the lockfile (npm ci) ...')
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) fail(`npm ci failed (exit code ${result.status}). Its message is above; check the network and try again.`)
  console.error(`keelson: installed in ${seconds(started)}`)
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages
}

function isInstalled(locked, installed) {
  return Object.entries(locked).every(([path, { version, integrity, link, optional }]) => {
    if (path === '' || optional) return true
    const found = installed[path]
    return found !== undefined && found.version === version && found.integrity === integrity && found.link === link
  })
}

export async function ensureBuilt() {
  const wanted = sourcesFingerprint()
  if (existsSync(BUILD_MARKER) && readFileSync(BUILD_MARKER, 'utf8') === wanted) return
  const started = Date.now()
  console.error('keelson: building ...')
  const [{ bundle }, { bundleWeb }] = await Promise.all([import('./bundle.mjs'), import('./bundle-web.mjs')])
  await Promise.all([bundle(), bundleWeb()]).catch((error) => fail(`the build failed: ${error.message}`))
  mkdirSync(dirname(BUILD_MARKER), { recursive: true })
  writeFileSync(BUILD_MARKER, wanted)
  console.error(`keelson: built in ${seconds(started)}`)
}

function seconds(startedMs) {
  return `${((Date.now() - startedMs) / 1000).toFixed(1)} s`
}

function sourcesFingerprint() {
  const hash = createHash('sha256')
  hash.update(readFileSync(LOCK))
  for (const script of ['bundle.mjs', 'bundle-web.mjs']) hash.update(readFileSync(join(ROOT, 'scripts', script)))
  for (const file of walk(join(ROOT, 'packages'))) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file}\0${mtimeMs}\0${size}\n`)
  }
  return hash.digest('hex')
}

function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path)
    else if (/\.(tsx?|css|html|svg|js|json|mjs|gz)$/.test(entry.name) && !entry.name.endsWith('.test.ts')) yield path
  }
}

export async function prepare() {
  assertNodeVersion()
  ensureInstalled()
  await ensureBuilt()
}
