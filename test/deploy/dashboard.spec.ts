import { textOf } from './checkout';
import { strangersIn } from './metrics';

interface Panel {
  id: number;
  title: string;
  description?: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const dashboard = JSON.parse(textOf('docker/grafana/agentrelay.json')) as { uid: string; panels: Panel[] };
const panels = dashboard.panels.filter(({ type }) => type !== 'row').map((panel) => [panel.title, panel] as const);

describe('the dashboard', () => {
  it.each(panels)('asks in "%s" only for what the relay measures', (_, { targets, description }) => {
    expect(description).toMatch(/\.$/);
    expect(targets!.flatMap(({ expr }) => strangersIn(expr.replaceAll('$__rate_interval', '5m')))).toEqual([]);
  });

  it('shows no panel over another', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
