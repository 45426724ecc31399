package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/dbusconn"
)

const (
	systemdName    = "org.freedesktop.systemd1"
	systemdManager = systemdName + ".Manager"
	// asked is how many questions wait for an answer at a time.
	asked = 64
)

// timeServices keep the clock in step.
var timeServices = map[string]bool{
	"systemd-timesyncd.service": true, "chronyd.service": true, "chrony.service": true, "ntpd.service": true,
	"ntp.service": true, "ntpsec.service": true, "openntpd.service": true,
}

// errNoManager says that there is no systemd to ask, which is no failure.
var errNoManager = errors.New("there is no systemd here")

// managed is what one systemd manager says.
type managed struct {
	units       []Unit
	services    []Service
	timeService bool
}

// manager asks systemd, the machine's or the person's own.
func (s *System) manager(ctx context.Context, bus int, r *results) {
	name := buses[bus].name
	m, err := probe(ctx, s.probes, "units:"+name, s.timeout, func(ctx context.Context) (managed, error) {
		return askManager(ctx, s.address(bus), buses[bus].user, s.options.Units)
	})
	switch {
	case errors.Is(err, errNoManager) && !s.answered[bus].Load():
	case err != nil:
		r.fail("units:"+name, "systemd ("+name+")", err)
	default:
		s.answered[bus].Store(true)
		r.add(func(reading *Reading) {
			reading.Units = append(reading.Units, m.units...)
			reading.Services = append(reading.Services, m.services...)
			r.timeService = r.timeService || m.timeService
		})
	}
}

// address of a bus.
func (s *System) address(bus int) string {
	if buses[bus].user {
		return dbusconn.Session(s.options.UserBus)
	}
	return dbusconn.System(s.options.SystemBus)
}

// askManager opens a connection for one collect: an open one would have to be
// watched and opened anew after each restart of the bus.
func askManager(ctx context.Context, address string, user, restarts bool) (managed, error) {
	conn, err := dbusconn.Open(ctx, address)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return managed{}, errNoManager
	}
	if err != nil {
		return managed{}, fmt.Errorf("connect to the bus: %w", err)
	}
	defer conn.Close()
	q := &questions{ctx: ctx, conn: conn}
	var m managed
	failed, err := q.list([]string{"failed"}, []string{})
	if err != nil {
		return managed{}, err
	}
	running, err := q.list([]string{"active", "activating", "deactivating", "reloading"}, []string{"*.service"})
	if err != nil {
		return managed{}, err
	}
	for _, unit := range running {
		m.timeService = m.timeService || unit.Active == "active" && timeServices[unit.Name]
	}
	if !restarts {
		return m, nil
	}
	if m.units, err = q.failures(failed, user); err != nil {
		return managed{}, err
	}
	m.services, err = q.restarts(running, user)
	return m, err
}

// listed is a unit as systemd lists it.
type listed struct {
	Name, Description, Load, Active, Sub, Follows string
	Path                                          dbus.ObjectPath
	Job                                           uint32
	JobType                                       string
	JobPath                                       dbus.ObjectPath
}

// questions are asked over one connection.
type questions struct {
	ctx  context.Context
	conn *dbus.Conn
}

func (q *questions) list(states, patterns []string) ([]listed, error) {
	var units []listed
	call := q.conn.Object(systemdName, "/org/freedesktop/systemd1").
		CallWithContext(q.ctx, systemdManager+".ListUnitsByPatterns", dbus.FlagNoAutoStart, states, patterns)
	var refused dbus.Error
	if errors.As(call.Err, &refused) {
		switch refused.Name {
		case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
			return nil, errNoManager
		}
	}
	if err := call.Store(&units); err != nil {
		return nil, fmt.Errorf("list the units: %w", err)
	}
	return units[:min(len(units), maxServices)], nil
}

// property of a unit.
type property struct {
	unit            dbus.ObjectPath
	iface, property string
}

// get returns the values of properties in their order; the zero Variant stands
// for what a unit does not have, or for a unit that has gone since.
func (q *questions) get(properties []property) ([]dbus.Variant, error) {
	values := make([]dbus.Variant, len(properties))
	for from := 0; from < len(properties); from += asked {
		calls := make([]*dbus.Call, 0, asked)
		for _, p := range properties[from:min(from+asked, len(properties))] {
			calls = append(calls, q.conn.Object(systemdName, p.unit).GoWithContext(q.ctx, "org.freedesktop.DBus.Properties.Get",
				dbus.FlagNoAutoStart, make(chan *dbus.Call, 1), systemdName+"."+p.iface, p.property))
		}
		for i, call := range calls {
			select {
			case <-call.Done:
			case <-q.ctx.Done():
				return nil, q.ctx.Err()
			}
			var refused dbus.Error
			if call.Err != nil && !errors.As(call.Err, &refused) {
				return nil, fmt.Errorf("read the units: %w", call.Err)
			}
			if call.Err == nil {
				if err := call.Store(&values[from+i]); err != nil {
					return nil, fmt.Errorf("read the units: %w", err)
				}
			}
		}
	}
	return values, nil
}

// failures returns why and when the units failed.
func (q *questions) failures(units []listed, user bool) ([]Unit, error) {
	const each = 4
	var ask []property
	for _, u := range units[:min(len(units), maxUnits)] {
		kind := interfaceOf(u.Name)
		ask = append(ask, property{u.Path, kind, "Result"}, property{u.Path, kind, "ExecMainStatus"},
			property{u.Path, kind, "StatusText"}, property{u.Path, "Unit", "StateChangeTimestamp"})
	}
	values, err := q.get(ask)
	if err != nil {
		return nil, err
	}
	var failed []Unit
	for i, u := range units {
		unit := Unit{Name: u.Name, User: user, Description: clip(u.Description, 300)}
		if each*i < len(values) {
			v := values[each*i:]
			unit.Result, unit.Status = dbusconn.As[string](v[0]), clip(dbusconn.As[string](v[2]), 1000)
			unit.ExitCode = int(dbusconn.As[int32](v[1]))
			if since := dbusconn.As[uint64](v[3]); since > 0 {
				unit.Since = time.UnixMicro(int64(since))
			}
		}
		failed = append(failed, unit)
	}
	return failed, nil
}

func (q *questions) restarts(units []listed, user bool) ([]Service, error) {
	var ask []property
	for _, u := range units {
		ask = append(ask, property{u.Path, "Service", "NRestarts"})
	}
	values, err := q.get(ask)
	if err != nil {
		return nil, err
	}
	var services []Service
	for i, u := range units {
		services = append(services, Service{Name: u.Name, User: user, Restarts: dbusconn.As[uint32](values[i])})
	}
	return services, nil
}

// interfaceOf returns the interface of a unit's kind: "Service" for "a.service".
func interfaceOf(name string) string {
	kind := name[strings.LastIndexByte(name, '.')+1:]
	if kind == "" {
		return "Unit"
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}
