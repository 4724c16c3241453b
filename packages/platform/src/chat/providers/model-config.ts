/** Configuration of the model. */
import type { Secret } from '@keelson/runtime'

/** The protocol of the service. */
export type ModelProvider = 'openai' | 'anthropic'

export interface ModelConfig {
  readonly provider: ModelProvider
  /** URL including the version: `https://api.example.com/v1`. */
  readonly url: string
  readonly model: string
  /** Null for a service without keys. */
  readonly key: Secret | null
  /** Per response of the model; a turn may have several. */
  readonly maxOutputTokens: number
  /** Retries after 429, 5xx and broken connections, before the first text. */
  readonly retries: number
}

export const DEFAULT_ANTHROPIC_URL = 'https://api.anthropic.com/v1'

/** For messages and logs. */
export function modelLabel({ provider, url, model }: Pick<ModelConfig, 'provider' | 'url' | 'model'>): string {
  return `${provider} model ${model} (${new URL(url).host})`
}
