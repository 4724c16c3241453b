import { join } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { createHealthServer, createReadiness, type HealthCheck } from '@keelson/runtime'
import {
  type CaptchaDocument,
  type CaptchaProvider,
  createIncidentFile,
  createWeb,
  loadStaticFiles,
  NO_INCIDENT_STORE,
  readKnownAbis,
} from '@keelson/web/server'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { healthAddress, openRole } from '../../role/role.ts'
import { openRollupConfig } from '../../role/rollup-option.ts'
import { webOptions } from './options.ts'
import { webConfig } from './web-config.ts'

export const webCommand = defineCommand({
  name: 'web',
  summary: 'pages: the chain at a glance, explorer, bridge, validators, network, faucet, chat, agents',
  usage: '--network NETWORK --l2.rpc URL [options]',
  options: webOptions,
  async run(values, { version }) {
    const role = openRole('web', values)
    const { clock, log, metrics } = role
    const rollup = openRollupConfig(values, log, clock)
    const { index, faucet, bridge, platform } = values
    const services = { index, faucet, bridge, platform }
    const captcha = captchaOf(values.captcha, values.captchaSiteKey)
    const root = findProjectRoot()
    const web = createWeb(
      {
        host: values.httpHost,
        port: values.httpPort,
        virtualHosts: values.httpVirtualHosts,
        nodes: { l1: values.l1Rpc, l2: values.l2Rpc },
        services,
        watched: { nodes: values.nodes, roles: values.roles },
        rate: { perSec: values.ratePerSec, burst: values.rateBurst },
        trusted: values.httpTrusted,
        proxies: values.httpProxies,
      },
      {
        files: loadStaticFiles(values.files ?? join(root, 'dist', 'web')),
        config: webConfig(
          {
            name: values.name,
            version,
            publicRpc: values.publicRpc,
            l1Explorer: values.l1Explorer,
            services,
            captcha,
            network: values.network,
          },
          rollup,
        ),
        abis: readKnownAbis(join(root, 'packages', 'contracts', 'artifacts')),
        incidentStore: values.incidentsFile === null ? NO_INCIDENT_STORE : createIncidentFile(values.incidentsFile, log),
        clock,
        log,
        metrics,
      },
    )
    const watching: HealthCheck = {
      name: 'node',
      check: () => {
        const { heads } = web.network.heads()
        if (values.nodes.length === 0) return { ok: true, detail: 'no consensus client is watched' }
        if (heads !== null) return { ok: true, detail: `unsafe head ${heads.unsafe.number}` }
        return { ok: false, reason: 'no consensus client answers', remedy: 'check the URLs of --rollup.rpc' }
      },
    }
    const readiness = createReadiness([watching], { clock, log, metrics })
    const health = healthAddress(values)
    return role.run([createHealthServer(health, { metrics, readiness, clock, log }), web.network, web], () =>
      log.info('the pages are open', { url: web.url }),
    )
  },
})

function captchaOf(provider: CaptchaProvider | 'off', siteKey: string | null): CaptchaDocument | null {
  if (provider === 'off') return null
  if (siteKey !== null) return { provider, siteKey }
  throw new AssemblyError('node/usage', `--captcha.provider ${provider} needs the key of these pages: --captcha.site-key`)
}
