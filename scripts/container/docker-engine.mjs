import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answers, runCommand, runOrThrow } from './run-command.mjs'

const PULL_TIMEOUT_MS = 300_000
const BUILD_TIMEOUT_MS = 1_200_000
const UP_TIMEOUT_SEC = 400

export async function findDocker() {
  if (!(await answers('docker', ['--version']))) return { missing: 'docker is not installed' }
  if (!(await answers('docker', ['info']))) return { missing: 'docker is installed, but no daemon responds' }
  if (!(await answers('docker', ['compose', 'version']))) return { missing: 'docker is installed without its compose plugin' }
  return { engine: createDockerEngine() }
}

function createDockerEngine() {
  const docker = (args, options) => runOrThrow('docker', args, options)
  return {
    name: 'docker',
    sharesNetwork: false,
    async hasImage(image) {
      return (await answers('docker', ['image', 'inspect', image])) || answers('docker', ['pull', image], { timeoutMs: PULL_TIMEOUT_MS })
    },
    build: (folder, base, image) =>
      docker(['build', '--build-arg', `NODE_IMAGE=${base}`, '-t', image, folder], { timeoutMs: BUILD_TIMEOUT_MS, echo: true }),
    async describe(image) {
      const [{ Size: sizeBytes, Config: config }] = JSON.parse(await docker(['image', 'inspect', image]))
      return { sizeBytes, config }
    },
    shell: (image, script) => docker(['run', '--rm', '--entrypoint', 'sh', image, '-c', script]),
    project: (options) => createComposeProject(options),
    close: async () => undefined,
  }
}

function createComposeProject({ name, file, image, env, beside }) {
  const environment = { ...process.env, ...env, KEELSON_IMAGE: image }
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-container-'))
  const files = ['-f', file]
  if (beside !== undefined) {
    const override = join(scratch, 'override.yaml')
    writeFileSync(override, `networks:\n  default:\n    name: ${beside.networkName}\n    external: true\n`)
    files.push('-f', override)
  }
  const invocation = ['compose', '-p', name, ...files]
  const compose = (args, options) => runOrThrow('docker', [...invocation, ...args], { env: environment, ...options })
  return {
    networkName: `${name}_default`,
    async networkFolder() {
      await compose(['cp', 'l1:/data/network', join(scratch, 'network')])
      return join(scratch, 'network')
    },
    up: (services = []) =>
      compose(['up', '-d', '--no-build', '--wait', '--wait-timeout', String(UP_TIMEOUT_SEC), ...services], {
        timeoutMs: (UP_TIMEOUT_SEC + 30) * 1000,
      }),
    exec: (service, command) => runCommand('docker', [...invocation, 'exec', '-T', service, ...command], { env: environment }),
    async stop(services) {
      await compose(['stop', ...services], { timeoutMs: 120_000 })
      const codes = {}
      for (const service of services) {
        const id = await compose(['ps', '-aq', service])
        codes[service] = Number(await runOrThrow('docker', ['inspect', '-f', '{{.State.ExitCode}}', id]))
      }
      return codes
    },
    logs: (service) => compose(['logs', '--no-color', '--tail', '40', service]),
    async down() {
      await compose(['down', '--volumes', '--remove-orphans', '--timeout', '30'], { timeoutMs: 180_000 })
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
