/** Enforces the rules of packages/README.md on imports, APIs of pure packages, file length and folder size. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const EVERYTHING = '*'

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  primitives: [],
  chainspec: ['primitives'],
  runtime: ['primitives'],
  contracts: ['primitives'],
  state: ['primitives'],
  client: ['primitives', 'runtime'],
  evm: ['primitives', 'chainspec'],
  derivation: ['primitives', 'chainspec'],
  'second-opinion': ['primitives', 'chainspec'],
  execution: ['primitives', 'chainspec', 'runtime', 'runtime/discovery', 'runtime/peers', 'runtime/snappy', 'state', 'evm'],
  conductor: ['primitives', 'runtime'],
  validator: ['primitives', 'runtime', 'client', 'contracts'],
  consensus: ['primitives', 'chainspec', 'runtime', 'runtime/discovery', 'runtime/peers', 'runtime/snappy', 'derivation', 'contracts'],
  batcher: ['primitives', 'chainspec', 'runtime', 'client', 'derivation/codec'],
  proposer: ['primitives', 'chainspec', 'runtime', 'client', 'contracts'],
  apps: ['primitives', 'runtime', 'client', 'contracts', 'derivation/codec'],
  platform: ['primitives', 'runtime', 'client', 'contracts'],
  web: ['primitives', 'runtime', 'contracts', 'contracts/abi', 'contracts/bridge', 'contracts/staking'],
  devnet: ['primitives', 'chainspec', 'runtime', 'client', 'state', 'evm', 'contracts', 'platform'],
  node: [EVERYTHING],
  simulator: [EVERYTHING],
}
const PURE = new Set(['primitives', 'chainspec', 'state', 'evm', 'derivation', 'second-opinion'])
/** Packages that may use real time, randomness and the environment. */
const OWNS_THE_WORLD = new Set(['runtime', 'node'])
/** Forbids the real world during a simulation, and therefore names it. */
const SIMULATION_GUARD = 'packages/simulator/src/core/real-world.ts'
/** The clock of a browser, which has no `runtime`. */
const BROWSER_CLOCK = 'packages/web/src/client/data/browser-clock.ts'
/** `devnet` chooses the forks of new chains; `node` reads them from options. */
const MAY_NAME_FORKS = new Set(['chainspec', 'devnet', 'node'])
const FORK_NAMES = /['"`](bedrock|regolith|canyon|delta|ecotone|fjord|granite|holocene|isthmus|jovian|karst|lagoon|azul)['"`]/
const MAX_LINES = 400
/** Source files per folder, not counting test files. */
const MAX_SIBLINGS = 24

interface Rule {
  readonly name: string
  applies(pkg: string, file: string): boolean
  readonly pattern: RegExp
}

const RULES: readonly Rule[] = [
  { name: 'pure packages use no node: module', applies: (p) => PURE.has(p), pattern: /from '(node:[^']+)'|import\('(node:[^']+)'\)/ },
  { name: 'pure packages use no Buffer, process or console', applies: (p) => PURE.has(p), pattern: /\b(Buffer\.|process\.|console\.)/ },
  {
    name: 'time and randomness are injected (only runtime and node own them)',
    applies: (p, file) => !OWNS_THE_WORLD.has(p) && !file.endsWith(BROWSER_CLOCK) && !file.endsWith(SIMULATION_GUARD),
    pattern: /\b(Date\.now|new Date\(\)|Math\.random|setTimeout|setInterval|setImmediate|performance\.now)\b/,
  },
  {
    name: 'a simulation has no real timer, socket, file, thread or process',
    applies: (p, file) => p === 'simulator' && !file.endsWith(SIMULATION_GUARD),
    pattern: /from '(node:(timers|net|tls|dgram|http|https|fs|worker_threads|child_process|dns)[^']*)'/,
  },
  {
    name: 'only chainspec may name a fork; ask rules for a parameter',
    applies: (p, file) => !MAY_NAME_FORKS.has(p) && !file.includes('wire'),
    pattern: FORK_NAMES,
  },
]

const problems: string[] = []

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* sourceFiles(path)
    else if (/\.tsx?$/.test(entry.name)) yield path
  }
}

function checkImports(pkg: string, file: string, source: string): void {
  for (const [, specifier] of source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (specifier === undefined) continue
    if (specifier.startsWith('.')) {
      const target = relative(join(ROOT, 'packages', pkg), join(dirname(file), specifier))
      if (target.startsWith('..')) problems.push(`${relative(ROOT, file)}: '${specifier}' leaves the package; import @keelson/... instead`)
      continue
    }
    const wanted = /^@keelson\/(.+)$/.exec(specifier)?.[1]
    if (wanted === undefined) continue
    const allowed = MAY_IMPORT[pkg] ?? []
    if (!allowed.includes(EVERYTHING) && !allowed.includes(wanted)) {
      problems.push(
        `${relative(ROOT, file)}: ${pkg} may not import ${wanted} (packages/README.md, "Who may import whom"); allowed: ${allowed.join(', ') || 'nothing'}`,
      )
    }
  }
}

function checkText(pkg: string, file: string, source: string): void {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  code.split('\n').forEach((line, i) => {
    const statement = line.replace(/\/\/.*$/, '')
    for (const rule of RULES) {
      if (rule.applies(pkg, file) && rule.pattern.test(statement)) {
        problems.push(`${relative(ROOT, file)}:${i + 1}: ${rule.name}: ${statement.trim().slice(0, 100)}`)
      }
    }
  })
}

/** Omits type imports, which vanish at run time. */
function valueImports(file: string, source: string): readonly string[] {
  return [...source.matchAll(/^(?:import|export)\s+(?!type\s)([^'";]*?)\s*from\s+'(\.[^']+)'/gm)]
    .filter(([, names = '']) => !/^\{(\s*type\s[^,}]*,?)+\s*\}$/.test(names))
    .map(([, , specifier = '']) => join(dirname(file), specifier))
}

/** In an import cycle, the order of evaluation depends on the first import. */
function checkCircles(imports: ReadonlyMap<string, readonly string[]>): void {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      const circle = [...path.slice(start), file].map((member) => relative(ROOT, member))
      problems.push(`value imports in a circle: ${circle.join(' -> ')}; move what they share to a file of its own`)
    }
    if (done.has(file)) return
    done.add(file)
    for (const target of imports.get(file) ?? []) visit(target, [...path, file])
  }
  for (const file of imports.keys()) visit(file, [])
}

let count = 0
const imports = new Map<string, readonly string[]>()
const siblings = new Map<string, number>()
for (const pkg of readdirSync(join(ROOT, 'packages'))) {
  if (pkg.endsWith('.md')) continue
  if (!(pkg in MAY_IMPORT)) problems.push(`packages/${pkg} is not in the layer table of scripts/check-layers.ts`)
  for (const file of sourceFiles(join(ROOT, 'packages', pkg, 'src'))) {
    const source = readFileSync(file, 'utf8')
    count++
    const generated = file.endsWith('.generated.ts')
    const lines = source.split('\n').length
    if (!generated && lines > MAX_LINES)
      problems.push(`${relative(ROOT, file)}: ${lines} lines, at most ${MAX_LINES}; cut it where a reader would look next`)
    if (!/\.test(-support)?\.ts$/.test(file)) siblings.set(dirname(file), (siblings.get(dirname(file)) ?? 0) + 1)
    if (file.endsWith('.test.ts') || generated) continue
    imports.set(file, valueImports(file, source))
    checkImports(pkg, file, source)
    checkText(pkg, file, source)
  }
}

checkCircles(imports)
for (const [folder, files] of siblings) {
  if (files > MAX_SIBLINGS)
    problems.push(`${relative(ROOT, folder)}: ${files} source files, at most ${MAX_SIBLINGS}; group them into folders`)
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  console.error(`\n${problems.length} layer problems in ${count} files`)
  process.exit(1)
}
console.log(`layers: ${count} files follow the table`)
