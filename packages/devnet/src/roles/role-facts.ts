/** Facts of roles on the same layer; the composition root provides them. */
export interface RoleFacts {
  readonly rpcNamespaces: readonly string[]
  /** Exit codes without restart, with the reasons. */
  readonly validatorFinalExits: Readonly<Record<number, string>>
  /** File with a candidate's secret. */
  conductorSecret(folder: string, candidate: string): string
}
