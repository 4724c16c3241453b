/** `npm run pack [-- --out FOLDER]`: writes keelson-VERSION.tgz, which `npm install -g` installs. */
import { mkdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { assertNodeVersion, ensureInstalled } from './setup.mjs'

assertNodeVersion()
ensureInstalled()
const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } })
const folder = resolve(values.out)
mkdirSync(folder, { recursive: true })
const { pack } = await import('./pack/pack.mjs')
const tarball = await pack(folder)
console.log(`${tarball} (${(statSync(tarball).size / 2 ** 20).toFixed(1)} MiB)`)
