import { DEVNET_SERVICES, type DevnetService, isRunWith } from '../roles/devnet-services.ts'
import type { DevnetPorts } from './ports.ts'

export function healthPorts(
  ports: DevnetPorts,
  services: readonly DevnetService[] = DEVNET_SERVICES,
): readonly (readonly [role: string, port: number])[] {
  const all = [
    ['execution', ports.execution.metrics],
    ['consensus', ports.consensus.metrics],
    ['validator-execution', ports.validatorExecution.metrics],
    ['validator-consensus', ports.validatorConsensus.metrics],
    ['batcher', ports.batcher.metrics],
    ['proposer', ports.proposer.metrics],
    ['bridge', ports.bridge.metrics],
    ['faucet', ports.faucet.metrics],
    ['platform', ports.platform.metrics],
    ['index', ports.index.metrics],
    ['web', ports.web.metrics],
    ['validator', ports.validatorDuty.metrics],
    ...(ports.standbyExecution === undefined ? [] : [['standby-execution', ports.standbyExecution.metrics] as const]),
    ...(ports.standbyConsensus === undefined ? [] : [['standby-consensus', ports.standbyConsensus.metrics] as const]),
    ...(ports.conductor === undefined ? [] : [['conductor', ports.conductor.metrics] as const]),
  ] as const
  return all.filter(([role]) => isRunWith(services, role))
}
