/**
 * Writes the content of the npm package. The workspaces are inlined into the bundle; packages with compiled parts are dependencies,
 * each at the version of the lockfile.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle, EXTERNAL } from '../bundle.mjs'
import { bundleWeb } from '../bundle-web.mjs'
import { PACKAGE_FILES } from '../container/assemble.mjs'
import { packageClosure } from '../container/package-closure.mjs'
import { ROOT } from '../setup.mjs'

const DATA = [
  ...['LICENSE', 'README.md', 'hardware.md', 'config/compose', 'config/l1-chains', 'config/networks', 'config/options.schema.json'],
  ...[
    'config/prometheus',
    'config/grafana',
    'config/haproxy',
    'config/roles',
    'config/systemd',
    'packages/contracts/artifacts',
    'packages/contracts/solidity',
    'packages/node/options.md',
  ],
]

const OWN_FIELDS = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin']

export async function assemblePackage(target) {
  const [built] = await Promise.all([bundle({ sourcesContent: false }), bundleWeb()])
  const program = built.filter((name) => !name.endsWith('.map')).map((name) => join('dist', name))
  for (const path of [...DATA, ...program, 'dist/web']) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(ROOT, path), join(target, path), { recursive: true })
  }
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const bundled = copyBundled(target, lock)
  writeJson(join(target, 'package.json'), manifestOf(lock, bundled))
}

/** Single files of large packages, such as a compiled contract, travel inside ours. */
function copyBundled(target, lock) {
  const names = new Set()
  for (const file of PACKAGE_FILES) {
    const [scope, rest] = file.split('/')
    const name = `${scope}/${rest}`
    names.add(name)
    const folder = join(target, 'node_modules', name)
    mkdirSync(dirname(join(target, 'node_modules', file)), { recursive: true })
    cpSync(join(ROOT, 'node_modules', file), join(target, 'node_modules', file))
    const { version, license } = lock.packages[`node_modules/${name}`]
    writeJson(join(folder, 'package.json'), { name, version, license })
  }
  return [...names]
}

/** Names every package below the dependencies too, so that an installation has the versions that were tested. */
function manifestOf(lock, bundled) {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const external = EXTERNAL.filter((name) => existsSync(join(ROOT, 'node_modules', name)))
  // Packages for one platform are optional, and pinned by the package that chooses among them.
  const needed = packageClosure(external, lock).filter((path) => lock.packages[path].optional !== true)
  const versions = new Map(bundled.map((name) => [name, lock.packages[`node_modules/${name}`].version]))
  for (const path of needed) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const { version } = lock.packages[path]
    if (versions.has(name) && versions.get(name) !== version)
      throw new Error(`the package needs ${name} in two versions, ${versions.get(name)} and ${version}; make them one in package-lock.json`)
    versions.set(name, version)
  }
  return {
    ...Object.fromEntries(OWN_FIELDS.map((field) => [field, own[field]])),
    dependencies: Object.fromEntries([...versions].sort(([a], [b]) => (a < b ? -1 : 1))),
    bundleDependencies: bundled,
  }
}

function writeJson(path, content) {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}
