import { describe, expect, it } from 'vitest';
import type { ParamValue } from '../../src/contract/commands/command.ts';
import {
  commandEntries,
  commandNames,
  commandOfMaker,
  makerCommandNames,
} from '../../src/contract/commands.ts';
import { signals } from '../../src/contract/signals.ts';

/** Every command of the maker's documentation, section by section. */
const makerCommands = `
wake_up door_lock door_unlock actuate_trunk open_tonneau close_tonneau stop_tonneau window_control sun_roof_control
flash_lights honk_horn remote_boombox remote_start_drive trigger_homelink

auto_conditioning_start auto_conditioning_stop set_temps set_preconditioning_max set_bioweapon_mode
set_cabin_overheat_protection set_cop_temp set_climate_keeper_mode remote_seat_heater_request remote_seat_cooler_request
remote_auto_seat_climate_request remote_steering_wheel_heater_request remote_steering_wheel_heat_level_request
remote_auto_steering_wheel_heat_climate_request

charge_start charge_stop charge_standard charge_max_range charge_port_door_open charge_port_door_close set_charge_limit
set_charging_amps set_scheduled_charging set_scheduled_departure add_charge_schedule add_precondition_schedule
remove_charge_schedule remove_precondition_schedule batch_remove_charge_schedules batch_remove_precondition_schedules
set_managed_charge_current_request set_managed_charger_location set_managed_scheduled_charging_time

adjust_volume media_volume_up media_volume_down media_toggle_playback media_next_track media_prev_track media_next_fav
media_prev_fav navigation_request navigation_gps_request navigation_sc_request navigation_waypoints_request
upcoming_calendar_entries take_drivenote

set_sentry_mode set_valet_mode reset_valet_pin set_pin_to_drive reset_pin_to_drive_pin clear_pin_to_drive_admin guest_mode
erase_user_data speed_limit_activate speed_limit_deactivate speed_limit_set_limit speed_limit_clear_pin
speed_limit_clear_pin_admin parental_controls_activate parental_controls_deactivate parental_controls_enable_setting
parental_controls_set_speed_limit parental_controls_clear_pin_admin set_vehicle_name set_low_power_mode
keep_accessory_power_mode schedule_software_update cancel_software_update
`
  .trim()
  .split(/\s+/);

const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Other spellings that clients of the older service send (contract, catalogue of commands). */
const legacyNames =
  `wakeup honkHorn flashLights lock unlock openFrunk openTrunk ventWindows closeWindows startAC stopAC
startCharging stopCharging setChargeLimit setChargingAmps openChargeDoor closeChargeDoor enableSentryMode
disableSentryMode`.split(/\s+/);

describe('the catalogue', () => {
  it('has every command of the maker in exactly one row, and none besides', () => {
    const used = commandEntries().flatMap(([, row]) => row.maker.map(({ command }) => command));
    expect([...used].sort()).toEqual([...makerCommands].sort());
    expect(new Set(used).size).toBe(used.length);
    for (const name of makerCommands) expect(commandOfMaker(name)).not.toBeNull();
  });

  it('has names that are unique on every surface', () => {
    const offered = commandEntries().filter(([, { surface }]) => surface === 'all');
    const fields = offered.flatMap(([name, { shortcuts = {} }]) =>
      [name, ...Object.keys(shortcuts)].map(camelCase),
    );
    expect(new Set(fields).size).toBe(fields.length);
    const rest = commandNames();
    expect(new Set(rest).size).toBe(rest.length);
    expect(new Set(makerCommandNames()).size).toBe(makerCommands.length);
  });

  it('knows every legacy name', () => {
    expect(legacyNames.filter((name) => !commandNames().includes(name))).toEqual([]);
  });

  it('keeps what is never offered by default to the pass-through', () => {
    const hidden = commandEntries().filter(([, { surface }]) => surface === 'passthrough');
    const makers = hidden.flatMap(([, row]) => row.maker.map(({ command }) => command));
    const expected = makerCommands.filter((name) =>
      /^(erase_|parental_|set_managed_)|_admin$/.test(name),
    );
    expect(makers.sort()).toEqual(expected.sort());
  });

  it('says of every number its unit or that it has none, and of every parameter what it is', () => {
    for (const [name, row] of commandEntries()) {
      for (const [key, param] of Object.entries(row.params)) {
        expect([name, key, param.sentence.endsWith('.')]).toEqual([name, key, true]);
        if ((param.kind === 'int' || param.kind === 'float') && param.unit !== undefined) {
          expect([name, key, param.sentence.includes(`[${param.unit}]`)]).toEqual([
            name,
            key,
            true,
          ]);
        }
      }
    }
  });

  it('refers to parameters that the row has', () => {
    for (const [name, row] of commandEntries()) {
      const own = Object.keys(row.params);
      const referred = [
        ...row.maker.flatMap(({ when, takes = [], given = {} }) => [
          ...(when ? [when.param] : []),
          ...takes,
          ...Object.values(given),
        ]),
        ...(row.choose?.of.flat() ?? []),
        ...(row.precondition?.unless ? [row.precondition.unless.param] : []),
        ...(typeof row.idempotent === 'object' ? [row.idempotent.param] : []),
        ...Object.values(row.shortcuts ?? {}).flatMap(({ params }) => Object.keys(params)),
        ...Object.values(row.params).flatMap(({ neededWhen, elseAs }) => [
          ...(neededWhen ? [neededWhen.param] : []),
          ...(elseAs === undefined ? [] : [elseAs]),
        ]),
      ];
      expect([name, referred.filter((param) => !own.includes(param))]).toEqual([name, []]);
    }
  });

  it('never sends again on a doubt what opens, sounds, starts or toggles', () => {
    const once =
      `honk_horn flash_lights boombox actuate_trunk trigger_homelink media_toggle_playback remote_start
      unlock navigate`.split(/\s+/);
    const rows = new Map<string, ParamValue | object>(
      commandEntries().map(([name, { idempotent }]) => [name, idempotent]),
    );
    for (const name of once) expect([name, rows.get(name)]).toEqual([name, false]);
    expect(rows.get('add_charge_schedule')).toEqual({ param: 'id' });
  });

  it('expects of a signal only what the signal can say', () => {
    const kinds: Readonly<Record<string, { kind: unknown }>> = signals;
    for (const [name, row] of commandEntries()) {
      const params = { on: true, which: 'FRONT', action: 'VENT', seat: 'FRONT_LEFT', level: 2 };
      for (const expectation of row.verify?.(params) ?? []) {
        const kind = kinds[expectation.signal]?.kind;
        if (!Array.isArray(kind) || !('in' in expectation)) continue;
        const foreign = expectation.in.filter((value) => !kind.includes(value));
        expect([name, expectation.signal, foreign]).toEqual([name, expectation.signal, []]);
      }
    }
  });
});
