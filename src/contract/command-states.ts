/** The states of a command in the order of its life, and whether it ends there (contract §0). */
export const commandStates = {
  QUEUED: { ends: false },
  WAKING: { ends: false },
  SENDING: { ends: false },
  ACKNOWLEDGED: { ends: false },
  SUCCEEDED: { ends: true },
  FAILED: { ends: true },
  REJECTED: { ends: true },
  CANCELLED: { ends: true },
  TIMED_OUT: { ends: true },
  UNKNOWN: { ends: true },
} as const satisfies Record<string, { ends: boolean }>;

export type CommandState = keyof typeof commandStates;

/** States in which nothing was sent yet. */
export const unsentStates = ['QUEUED', 'WAKING'] as const satisfies CommandState[];

/** States in which a command is still under way. */
export const liveStates = ['QUEUED', 'WAKING', 'SENDING', 'ACKNOWLEDGED'] as const satisfies CommandState[];

/** How far a command is followed (contract §0). */
export type CommandConfirm = 'NONE' | 'ACK' | 'VERIFY';

/** The surface a command came by. */
export type CommandVia = 'GRAPHQL' | 'REST' | 'LEGACY' | 'FLEET_PROXY' | 'MCP';
