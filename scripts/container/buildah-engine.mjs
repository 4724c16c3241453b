/** All containers share a network namespace (own-network.mjs), in which every service is 127.0.0.1. */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCompose, startOrder } from './compose-file.mjs'
import { answers, eventually, FinalError, runCommand, runOrThrow, sleep } from './run-command.mjs'

const PULL_TIMEOUT_MS = 300_000
const BUILD_TIMEOUT_MS = 1_200_000
const HEALTHY_TIMEOUT_MS = 600_000
const SETUP_TIMEOUT_MS = 120_000
const START_TIMEOUT_MS = 60_000
const STOP_GRACE_MS = 20_000
const KEPT_LOG_LINES = 40

export async function findBuildah() {
  if (!(await answers('buildah', ['--version']))) return { missing: 'buildah is not installed' }
  if (process.getuid() !== 0) return { missing: 'buildah is installed, but the network is started with it as root only' }
  return { engine: createBuildahEngine() }
}

function createBuildahEngine() {
  const buildah = (args, options) => runOrThrow('buildah', args, options)
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-container-'))
  const containers = new Map()
  let isolation

  /** Concurrent runs in one container disturb each other's start. */
  const containerOf = async (image, purpose = 'role') => {
    const key = `${image} ${purpose}`
    if (!containers.has(key)) {
      const container = await buildah(['from', '--pull-never', image])
      containers.set(key, container)
      const { Docker } = JSON.parse(await buildah(['inspect', container]))
      for (const volume of Object.keys(Docker.config.Volumes ?? {})) await buildah(['config', '--volume', `${volume}-`, container])
    }
    return containers.get(key)
  }

  const isolationFor = async (image) => {
    if (isolation === undefined) {
      const works =
        process.env.BUILDAH_ISOLATION !== undefined || (await answers('buildah', ['run', await containerOf(image), '--', 'true']))
      isolation = works ? [] : ['--isolation', 'chroot']
    }
    return isolation
  }

  return {
    name: 'buildah',
    sharesNetwork: true,
    hasImage: async (image) =>
      (await answers('buildah', ['inspect', '--type', 'image', image])) ||
      answers('buildah', ['pull', image], { timeoutMs: PULL_TIMEOUT_MS }),
    async build(folder, base, image) {
      const args = ['build', '--format', 'docker', '--build-arg', `NODE_IMAGE=${base}`, '-t', image]
      await buildah([...args, ...(await isolationFor(base)), folder], { timeoutMs: BUILD_TIMEOUT_MS, echo: true })
    },
    async describe(image) {
      const [{ size }] = JSON.parse(await buildah(['images', '--json', image]))
      const { Docker } = JSON.parse(await buildah(['inspect', '--type', 'image', image]))
      return { sizeBytes: sizeInBytes(size), config: Docker.config }
    },
    async shell(image, script) {
      return buildah(['run', ...(await isolationFor(image)), await containerOf(image), '--', 'sh', '-c', script])
    },
    project: (options) => createProject({ ...options, scratch, containerOf, isolationFor }),
    async close() {
      for (const container of containers.values()) await runCommand('buildah', ['rm', container])
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

function sizeInBytes(text) {
  const [, number, unit] = /^([\d.]+)\s*([kKMG]?)B$/.exec(text) ?? []
  return Number(number) * { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 }[unit]
}

function createProject({ name, file, image, env, beside, scratch, containerOf, isolationFor }) {
  const { services } = readCompose(file, { ...process.env, ...env, KEELSON_IMAGE: image })
  const running = new Map()
  const folder = join(scratch, name)
  mkdirSync(folder, { recursive: true })
  const hosts = join(folder, 'hosts')
  const names = [...Object.keys(services), ...(beside?.names ?? [])]
  writeFileSync(hosts, `127.0.0.1 localhost ${names.join(' ')}\n`)
  chmodSync(hosts, 0o644)

  const volumeFlags = (service, config) => {
    const [uid, gid] = config.User.split(':').map(Number)
    const mounts = (service.volumes ?? []).map((text) => {
      const [source, target, mode] = text.split(':')
      if (source.startsWith('/') || source.startsWith('.')) return [source, target, mode]
      const path = join(folder, source)
      mkdirSync(path, { recursive: true })
      chownSync(path, uid, gid)
      return [path, target, mode]
    })
    return [...mounts, [hosts, '/etc/hosts', 'ro']].flatMap(([source, target, mode]) => [
      '-v',
      `${source}:${target}${mode ? `:${mode}` : ''}`,
    ])
  }

  let description
  const configOf = () => {
    description ??= runOrThrow('buildah', ['inspect', '--type', 'image', image]).then((text) => JSON.parse(text).Docker.config)
    return description
  }

  const argumentsOf = async (service, command, purpose) => {
    const environment = Object.entries(service.environment ?? {}).flatMap(([key, value]) => ['-e', `${key}=${value}`])
    const flags = [...(await isolationFor(image)), '--no-hosts', ...volumeFlags(service, await configOf()), ...environment]
    return ['run', ...flags, await containerOf(image, purpose), '--', ...command]
  }

  const start = async (name) => {
    const service = services[name]
    const { Entrypoint } = await configOf()
    const args = await argumentsOf(service, [...Entrypoint, ...service.command])
    const lines = []
    const child = spawn('buildah', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => lines.splice(0, Math.max(0, lines.push(...text.trim().split('\n')) - KEPT_LOG_LINES)))
    const entry = { child, lines, code: null, ended: new Promise((resolve) => child.once('close', resolve)) }
    child.once('error', (error) => lines.push(error.message))
    entry.ended.then((code) => {
      entry.code = code
    })
    running.set(name, entry)
    await eventually(
      `the start of ${name}`,
      async () => (entry.code !== null || isProgram(innermost(child.pid)) ? true : null),
      START_TIMEOUT_MS,
    )
  }

  const exec = async (name, command) => runCommand('buildah', await argumentsOf(services[name], command, 'command'))

  const healthy = async (name) => {
    const { test } = services[name].healthcheck
    const { code, output } = await exec(name, [...test.slice(1), '--', ...services[name].command])
    const ended = running.get(name)?.code
    if (ended !== null) throw new FinalError(`${name} exited with code ${ended}: ${running.get(name)?.lines.slice(-5).join('\n')}`)
    if (code !== 0) throw new Error(`${name}: ${output.trim()}`)
    return true
  }

  const waitFor = async (name, condition) => {
    const entry = running.get(name)
    if (condition === 'service_healthy') await eventually(`${name} becoming healthy`, () => healthy(name), HEALTHY_TIMEOUT_MS)
    if (condition !== 'service_completed_successfully') return
    const code = await Promise.race([entry.ended, sleep(SETUP_TIMEOUT_MS).then(() => 'no end')])
    if (code !== 0) throw new Error(`${name} exited with code ${code}, expected 0: ${entry.lines.join('\n')}`)
  }

  return {
    names,
    async up(only = Object.keys(services)) {
      const isUp = (name) => running.has(name) && running.get(name).code === null
      const chosen = startOrder(services).filter((name) => only.includes(name) && !isUp(name))
      for (const name of chosen) {
        for (const [other, { condition }] of Object.entries(services[name].depends_on ?? {}))
          if (running.has(other)) await waitFor(other, condition)
        await start(name)
      }
      for (const name of chosen) if (services[name].healthcheck?.test !== undefined) await waitFor(name, 'service_healthy')
    },
    exec,
    async stop(names) {
      const entries = names.map((name) => [name, running.get(name)])
      for (const [, { child, code }] of entries) if (code === null) process.kill(innermost(child.pid), 'SIGTERM')
      const codes = {}
      for (const [name, entry] of entries) {
        const code = await Promise.race([entry.ended, sleep(STOP_GRACE_MS).then(() => null)])
        if (code === null) process.kill(innermost(entry.child.pid), 'SIGKILL')
        codes[name] = code ?? 137
        running.delete(name)
      }
      return codes
    },
    networkFolder: async () => join(folder, 'network', 'network'),
    logs: async (name) => running.get(name)?.lines.join('\n') ?? '',
    async down() {
      await this.stop([...running.keys()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function innermost(pid) {
  const [child] = childrenOf(pid)
  return child === undefined || isProgram(pid) ? pid : innermost(child)
}

function childrenOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number))
}

function isProgram(pid) {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]
  return command !== '' && !/buildah|crun|runc|conmon/.test(command)
}
